"""What benchmarks and tests share: made-up data, servers to talk to, clients, and ways to break things."""
