"""From host code to launches and facts."""
