package import Foundation

/// The folder of real captures, which lies outside of the repository, and the account of what was compared with it.
///
/// `ROLLCALL_CAPTURES` names the folder, `../shared/captures` is the default. Tests that need it skip without it. What
/// they checked and what they skipped is appended to the file that `ROLLCALL_TEST_NOTES` names, if any:
/// `Tools/test.sh` makes the last line of the test output of it, and fails in CI if a file was skipped.
package enum CaptureFolder {
  /// Subfolders with captures.
  package static let subfolders = ["ble", "formats", "linktypes", "malformed", "mdns", "ssdp", "upnp-http"]

  /// The folder; `nil` where there is none.
  package static let url: URL? = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let named = ProcessInfo.processInfo.environment["ROLLCALL_CAPTURES"].flatMap { $0.isEmpty ? nil : $0 }
    let folder =
      named.map { URL(fileURLWithPath: $0) }
      ?? root.deletingLastPathComponent().appendingPathComponent("shared/captures")
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) && isFolder.boolValue
      ? folder : nil
  }()

  /// The captures of a subfolder, by name. Where there are none, that is noted as skipped.
  /// - Parameter what: what is compared with them.
  package static func captures(in subfolder: String, for what: String) -> [URL] {
    guard let folder = url?.appendingPathComponent(subfolder) else {
      skipped(what)
      return []
    }
    let found = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let captures = (found ?? []).filter { !["tsv", "json", "md"].contains($0.pathExtension) }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
    if captures.isEmpty { skipped("\(what): nothing in \(subfolder)") }
    return captures
  }

  /// One capture by its path below the folder. Where it is not there, that is noted as skipped.
  package static func capture(_ path: String, for what: String) -> URL? {
    guard let file = url?.appendingPathComponent(path), FileManager.default.fileExists(atPath: file.path) else {
      skipped("\(what): no \(path)")
      return nil
    }
    return file
  }

  /// A capture was compared with something that knows what it holds.
  package static func checked(_ capture: URL) { note("checked\t" + capture.standardizedFileURL.path) }

  /// Nothing could be compared, for a reason that was reviewed.
  package static func notClaimed(_ capture: URL) { note("not claimed\t" + capture.standardizedFileURL.path) }

  /// Datagrams of a capture were compared with the dissector's.
  package static func compared(_ capture: URL, datagrams: Int) {
    note("datagrams\t\(datagrams)\t" + capture.standardizedFileURL.path)
  }

  /// A comparison could not be made.
  package static func skipped(_ what: String) {
    print("skipped: \(what)" + (url == nil ? ": ROLLCALL_CAPTURES names no folder" : ""))
    note("skipped\t" + what)
  }

  /// One line, in one call to the system: tests run side by side.
  private static func note(_ line: String) {
    guard let path = ProcessInfo.processInfo.environment["ROLLCALL_TEST_NOTES"], !path.isEmpty,
      let file = fopen(path, "a")
    else { return }
    fputs(line + "\n", file)
    fclose(file)
  }
}
