"""What an owner's process does: it holds its folder, fetches wishes, decides, and sends."""
