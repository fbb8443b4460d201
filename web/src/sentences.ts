// The sentences that the rooms begin with and offer to try.

export const kTired = "The animal didn't cross the street because it was too tired.";
export const kWide = "The animal didn't cross the street because it was too wide.";
export const kDog = "The dog chased the ball because it was fast.";
export const kCat = "The cat sat on the mat";
