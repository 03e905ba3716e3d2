"""One HTML file with tables and charts; it needs nothing from outside, and without script shows static pictures."""
