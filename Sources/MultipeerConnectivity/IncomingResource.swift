import RollcallDoors

/// A resource on its way from a peer: a temporary file in a folder of its own, which goes with this object.
final class IncomingResource: @unchecked Sendable {
  let number: Int
  let peer: MCPeerID
  let name: String
  let progress: TransferProgress
  let byteCount: Int
  let file: URL
  private let folder: URL
  private let inner = Guarded<(handle: FileHandle?, received: Int)>((nil, 0))

  /// - Throws: what the file system says.
  init(_ offer: ResourceOffer, from peer: MCPeerID) throws {
    number = offer.number
    self.peer = peer
    name = offer.name
    byteCount = max(0, offer.byteCount)
    progress = TransferProgress(byteCount: byteCount)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "rollcall-resource-\(UUID().uuidString)", isDirectory: true)
    file = folder.appendingPathComponent(PeerRules.fileName(offer.fileName), isDirectory: false)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    // Where either of these fails, the deinitialiser takes the folder away.
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    inner.withLock { $0.handle = handle }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Whether all announced bytes are there.
  var isComplete: Bool { inner.withLock { $0.received == byteCount } }

  /// - Throws: `invalidParameter` for more bytes than were announced, else what the file system says.
  func write(_ bytes: [UInt8]) throws {
    let received = try inner.withLock { inner in
      guard bytes.count <= byteCount - inner.received else { throw MCError(.invalidParameter) }
      try inner.handle?.write(contentsOf: Data(bytes))
      inner.received += bytes.count
      return inner.received
    }
    progress.reach(received)
  }
}
