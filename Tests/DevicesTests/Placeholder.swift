// DevicesTests
