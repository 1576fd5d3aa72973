"""HTTP: requests, responses, paging."""
