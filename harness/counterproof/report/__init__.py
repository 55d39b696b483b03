"""What is rendered from a certificate, and from nothing else."""
