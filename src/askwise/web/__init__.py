"""The pages where people answer and where the owner watches, and the HTTP interface for programs."""
