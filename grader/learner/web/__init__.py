"""What every server of the course needs: a socket, patience with limits, and a clean end."""
