package import RollcallPrimitives
package import RollcallWire

/// A UDP datagram found in a capture.
///
/// A view: `payload` lies in the frame or in the buffer where its fragments were put together, and is good until the
/// extractor or the reader is asked for the next one. `CaptureFrame.paddingBytes` more bytes behind it are readable.
package struct ExtractedDatagram: BitwiseCopyable {
  package var source = Endpoint(IPAddress(v4: 0), port: 0)
  package var destination = Endpoint(IPAddress(v4: 0), port: 0)
  /// TTL or hop limit; of the first fragment, where there are several.
  package var hopLimit: UInt8 = 0
  /// The VLAN of the innermost tag; −1 without one.
  package var vlan: Int32 = -1
  /// In how many fragments it came; 1 for a whole one.
  package var fragmentCount = 1
  /// What IPv4 numbers its packets with: equal for copies that the network made; −1 where there is no such number.
  package var identification: Int32 = -1
  /// Whether bytes that the UDP length promises are missing.
  package var isCut = false
  package var payload = UnsafeRawBufferPointer(start: CaptureFrame.nothing, count: 0)

  var segment = UnsafeRawBufferPointer(start: CaptureFrame.nothing, count: 0)
  var isSourceRouted = false

  package init() {}

  /// Checks the UDP checksum: reads all of the datagram, so it costs time only where it is asked for.
  package var checksum: UDPChecksum {
    if isCut || isSourceRouted { return .unverifiable }
    return UDPHeader.verify(segment, source: source.address, destination: destination.address)
  }
}
