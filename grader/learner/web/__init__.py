"""What every server of the course needs: a socket, time limits, and a clean end."""
