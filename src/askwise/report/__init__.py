"""Self-contained HTML reports with tables and charts; without JavaScript they show static pictures."""
