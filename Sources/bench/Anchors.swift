import Foundation

/// Why an anchor is left out.
struct AnchorAbsence: Error { var text: String }

/// Another program that a benchmark needs.
enum AnchorProgram {
  /// Its exit code and what it printed; 127: it is not there.
  static func run(_ path: String, _ arguments: [String]) -> (code: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardOutput = pipe
    do { try process.run() } catch { return (127, "") }
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}

/// A file of `Tools/anchors` in C, built with the C compiler of the system when it is needed.
enum AnchorInC {
  /// The function `symbol` of `source`; the library that it is in stays open.
  static func function(
    _ symbol: String, in source: String, linking libraries: [String] = []
  ) -> Result<UnsafeMutableRawPointer, AnchorAbsence> {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rollcall-anchor-\(UUID().uuidString)")
    let library = folder.appending(path: "anchor.so").path
    defer { try? FileManager.default.removeItem(at: folder) }
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      return .failure(AnchorAbsence(text: "\(folder.path) cannot be made"))
    }
    let place = "Tools/anchors/\(source)"
    let words = ["cc", "-O2", "-shared", "-fPIC", "-o", library, place] + libraries.map { "-l" + $0 }
    guard AnchorProgram.run("/usr/bin/env", words).code == 0, let handle = dlopen(library, RTLD_NOW),
      let function = dlsym(handle, symbol)
    else {
      let needed =
        libraries.isEmpty
        ? ""
        : ", which needs "
          + libraries.map { $0.hasPrefix(":") ? String($0.dropFirst()) : "lib\($0)" }.joined(separator: ", ")
      return .failure(AnchorAbsence(text: "cc cannot build \(place)\(needed)"))
    }
    return .success(function)
  }
}

/// A script of `Tools/anchors` in Python, with the packages of `Tools/requirements.txt`.
enum AnchorInPython {
  /// The one number that it prints.
  static func number(_ script: String, _ words: [String]) -> Result<Double, AnchorAbsence> {
    let runner = "Tools/anchors/python.sh"
    guard FileManager.default.isExecutableFile(atPath: runner) else {
      return .failure(AnchorAbsence(text: "\(runner) is not there"))
    }
    let (code, output) = AnchorProgram.run("/usr/bin/env", [runner, script] + words)
    if code == 3 { return .failure(AnchorAbsence(text: "PyPI or python3 is not there")) }
    guard code == 0, let value = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      return .failure(AnchorAbsence(text: "\(script) ended with \(code)"))
    }
    return .success(value)
  }
}
