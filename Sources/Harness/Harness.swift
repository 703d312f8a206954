// Harness
