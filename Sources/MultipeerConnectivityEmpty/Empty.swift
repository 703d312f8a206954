// On Apple's systems the product `RollcallMultipeerConnectivity` holds this module in place of `MultipeerConnectivity`:
// an application that depends on the product has Apple's framework there, and nothing beside it.
