import GRDB  // the trait Store

/// Why results could not be read or kept. What was kept before is still there.
package enum CampaignStoreError: Error, Hashable, Sendable {
  /// There is nothing at this path.
  case missing(path: String)
  /// The file is no file of results.
  case foreign(path: String, found: String)
  /// It holds the results of another campaign.
  case otherCampaign(path: String, difference: String)
  /// Two runs of one seed came to different results.
  case contradiction(path: String, point: Int, seed: UInt64)
  case damaged(path: String, found: String)
  /// The disk has no room.
  case full(path: String)
  /// Another process holds the file.
  case busy(path: String)
  case failed(path: String, reason: String)
}

extension CampaignStoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missing(let path): "\(path): there are no results of a campaign; name the folder that -o named"
    case .foreign(let path, let found):
      "\(path): results of a campaign were expected, found \(found); it was not changed: name another folder"
    case .otherCampaign(let path, let difference):
      "\(path): results of another campaign: \(difference); nothing was changed: name another folder"
    case .contradiction(let path, let point, let seed):
      "\(path): two runs of point \(point) under the seed \(seed) came to different results: a run was not"
        + " deterministic, or another version of rollcall performed one of them"
    case .damaged(let path, let found):
      "\(path): the results cannot be read: \(found); move the folder away and run the campaign anew"
    case .full(let path):
      "\(path): there is no room for more results; those that were kept are there: free some space, and run the same"
        + " command to go on"
    case .busy(let path): "\(path): another process is at work on these results; try again"
    case .failed(let path, let reason): "\(path): \(reason)"
    }
  }

  init(_ error: any Error, path: String) {
    guard let error = error as? DatabaseError else {
      self = error as? CampaignStoreError ?? .failed(path: path, reason: "\(error)")
      return
    }
    let words = error.message ?? "no words for it"
    switch error.resultCode {
    case .SQLITE_FULL: self = .full(path: path)
    // The index of the journal could not grow: SQLite has no other word for a full disk there.
    case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: self = .full(path: path)
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
    case .SQLITE_NOTADB: self = .foreign(path: path, found: "no database")
    case .SQLITE_CORRUPT: self = .damaged(path: path, found: words)
    default: self = .failed(path: path, reason: words)
    }
  }
}
