"""What probabilities that are not listed could change: an interval for each number that has one."""
