"""netopsbench: prove whether a network-troubleshooting agent works."""
