// Names of the modules below that the interface of this one speaks of. Those and what is declared in this module are at
// most forty, which a test counts; all else of the modules below has to be imported from there, the arithmetic of times
// included, since operators come with their module alone.
@_exported public import struct RollcallPrimitives.Digest
@_exported public import struct RollcallPrimitives.Instant
@_exported public import struct RollcallPrimitives.Interval
@_exported public import protocol RollcallPrimitives.Machine
@_exported public import enum RollcallPrimitives.Report
