package import RollcallPrimitives
package import RollcallWire

/// A TCP segment found in a capture.
///
/// A view, as `ExtractedDatagram` is: good until the extractor or the reader is asked for the next one.
package struct ExtractedSegment: BitwiseCopyable {
  package var source: Endpoint
  package var destination: Endpoint
  package var sequence: UInt32
  package var acknowledgment: UInt32
  package var flags: TCPFlags
  /// As far as it was captured.
  package var payload: UnsafeRawBufferPointer
  /// Whether bytes that IP promises are missing.
  package var isCut: Bool

  /// - Parameters:
  ///   - content: what IP carries, as far as it was captured.
  ///   - isWhole: whether all of it was.
  package init?(_ content: UnsafeRawBufferPointer, _ source: IPAddress, _ destination: IPAddress, isWhole: Bool) {
    guard let header = TCPHeader(content) else { return nil }
    self.source = Endpoint(source, port: header.sourcePort)
    self.destination = Endpoint(destination, port: header.destinationPort)
    (sequence, acknowledgment, flags) = (header.sequence, header.acknowledgment, header.flags)
    payload = UnsafeRawBufferPointer(rebasing: content[header.headerBytes...])
    isCut = !isWhole
  }
}
