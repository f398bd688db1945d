// Placeholder until the tests of this target are written.
