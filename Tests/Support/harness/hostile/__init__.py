"""A courier, a platform and an issuer that the attacker controls."""
