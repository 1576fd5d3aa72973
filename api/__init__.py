"""The description of the HTTP API, built from the routers' tables: `python -m api` writes openapi.json."""
