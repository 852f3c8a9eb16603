"""What the attacks are made with: a client, a courier, a platform and an issuer, all under the attacker's control."""
