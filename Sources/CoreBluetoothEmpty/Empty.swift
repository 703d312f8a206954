// On Apple's systems the product `RollcallCoreBluetooth` holds this module in place of `CoreBluetooth`: an application
// that depends on the product has Apple's framework there, and nothing beside it.
