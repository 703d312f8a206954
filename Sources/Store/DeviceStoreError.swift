package import RollcallPrimitives

/// Why the store did not do what it was asked to. What was stored before is still there, but for `damaged`.
///
/// Texts say what was expected, what was found, where, and what to do. No pairing key and no certificate is in them.
package enum DeviceStoreError: Error, Hashable, Sendable {
  /// The file is no store that can be read. It was moved out of the way, and the next opening makes a new store.
  case damaged(DamagedStore)
  /// The file was written by a later version of this program. It was not changed.
  case newer(path: String, found: Int, known: Int)
  /// A link, a folder, a device: something that is never written through or replaced.
  case notAFile(path: String, found: String)
  case denied(path: String, reason: String)
  /// The disk has no room, or the store reached the size that it was given.
  case full(path: String)
  /// Another process held the store for longer than the patience of this one.
  case busy(path: String)
  /// A device is out of bounds.
  case unfit(id: String, StoredFault)
  /// A UUID of the device is one of another device, and it was not said that it moves.
  case taken(uuid: String, owner: String, id: String)
  /// It was closed, or was found to be damaged before.
  case closed(path: String)
  /// Another failure of the system, in the words of SQLite or the system.
  case failed(path: String, reason: String)
}

/// A file that is no store, and where it is now.
package struct DamagedStore: Hashable, Sendable {
  package var path: String
  /// What was found there.
  package var found: String
  /// Where the file was put; the files of its journal are beside it, with the same name and their endings. `nil`:
  /// another process had put it away before.
  package var keptAs: String?

  package init(path: String, found: String, keptAs: String?) {
    (self.path, self.found, self.keptAs) = (path, found, keptAs)
  }
}

extension DeviceStoreError {
  /// The same for a machine, which is told by the store port.
  package var failure: StoreFailure {
    switch self {
    case .damaged, .newer: .damaged
    case .full, .unfit: .full
    case .notAFile, .denied, .busy, .taken, .closed, .failed: .denied
    }
  }
}

extension DeviceStoreError: CustomStringConvertible {
  package var description: String { PlainText.shown(text) }

  private var text: String {
    switch self {
    case .damaged(let store):
      let kept = store.keptAs.map { "it is kept as \($0)" } ?? "another process has put it away"
      return "\(store.path): a device store was expected, found \(store.found); \(kept), the next opening makes a new"
        + " store"
    case .newer(let path, let found, let known):
      return "\(path): a device store of version \(known) or below was expected, found version \(found); it was not"
        + " changed: update this program, or name another file"
    case .notAFile(let path, let found):
      return "\(path): a regular file was expected, found \(found); name another file"
    case .denied(let path, let reason):
      return "\(path): the device store cannot be written: \(reason); check who may write the file and its folder"
    case .full(let path): return "\(path): there is no room for more; what was stored before is kept: free some space"
    case .busy(let path): return "\(path): another process is at work on the device store; try again"
    case .unfit(let id, .tooMuch(let field, let found, let maximum)):
      return "device \(short(id)): at most \(maximum) were expected in \(field), found \(found); it was not stored"
    case .unfit(let id, .notAName(let field)):
      return "device \(short(id)): \(field) is empty or has a control character; it was not stored"
    case .taken(let uuid, let owner, let id):
      return
        "device \(short(id)): the service \(short(uuid)) belongs to device \(short(owner)); nothing was stored: say"
        + " that it moves, or store it there"
    case .closed(let path): return "\(path): the device store is closed; open it again"
    case .failed(let path, let reason): return "\(path): \(reason)"
    }
  }

  /// A name from a network may be as long as it likes.
  private func short(_ name: String) -> String {
    let kept = name.unicodeScalars.prefix(60)
    let isWhole = name.utf8.count <= 64 || kept.endIndex == name.unicodeScalars.endIndex
    return isWhole ? name : String(kept) + "…"
  }
}
