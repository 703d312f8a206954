// What an application names beside the types of this module: one import is enough for it.
@_exported public import enum RollcallPrimitives.AppState
@_exported public import struct RollcallPrimitives.Capability
@_exported public import struct RollcallPrimitives.CapabilityFilter
@_exported public import struct RollcallPrimitives.ConnectionFailure
@_exported public import struct RollcallPrimitives.BluetoothUUID
@_exported public import struct RollcallPrimitives.DiscoverySetup
@_exported public import struct RollcallPrimitives.IdentityRule
@_exported public import struct RollcallPrimitives.LaunchSession
@_exported public import enum RollcallPrimitives.PairingKind
@_exported public import enum RollcallPrimitives.PairingLevel
@_exported public import struct RollcallPrimitives.ProvidedDevice
@_exported public import enum RollcallPrimitives.ProviderID
@_exported public import struct RollcallPrimitives.ServiceRegistration
@_exported public import enum RollcallPrimitives.SessionKind
@_exported public import struct RollcallPrimitives.StoredDevice
@_exported public import struct RollcallPrimitives.StoredService
