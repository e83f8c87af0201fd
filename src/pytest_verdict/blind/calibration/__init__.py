"""How far a judge agrees with people, measured before it is trusted."""
