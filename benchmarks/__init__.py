"""What Wurf costs, beside others that do the same, measured in one run: `make bench`."""
