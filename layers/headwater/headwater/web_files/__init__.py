"""The web page: the files that `make web` builds of web/, and their headers. Knows neither the graph nor any key."""
