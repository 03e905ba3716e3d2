"""The web pages for workers, owners and stewards, and the HTTP interface for programs."""
