"""dSLATE, the paper's Level 1: pixels to tokens to slots."""
