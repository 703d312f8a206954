import RollcallFuzzTargets
import RollcallPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program of a plain build, where no libFuzzer brings a `main`: runs the target over each file that is named.
///
/// `fuzz --list` prints every target with its kind, `fuzz --dictionary` the words of the target as libFuzzer reads
/// them, and `fuzz --seeds FOLDER` writes its seeds into a folder that is there. `fuzz --storm COUNT` runs the connection
/// storm under the seeds 1 to COUNT. Exit code 1 and one line on standard error for each file or seed with a finding; 2
/// for a file that cannot be read or written.
@_cdecl("rollcall_fuzz_main")
public func replay(_ count: CInt, _ values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  let arguments = CommandLine.arguments.dropFirst()
  if arguments.first == "--list" {
    for target in allTargets { print(target.name, target.kind.rawValue) }
    return 0
  }
  if arguments.first == "--dictionary" {
    print(chosenTarget.dictionaryText, terminator: "")
    return 0
  }
  if arguments.first == "--seeds", arguments.count == 2, let folder = arguments.last {
    for (number, seed) in chosenTarget.seeds.enumerated() {
      guard save(seed, to: "\(folder)/seed-\(number)") else { return 2 }
    }
    return 0
  }
  if arguments.first == "--storm", arguments.count == 2, let count = arguments.last.flatMap({ UInt64($0) }), count > 0 {
    return storm(count)
  }
  var code: CInt = 0
  var runs = 0
  for path in arguments {
    guard let bytes = contents(of: path) else {
      complain("fuzz: cannot read \(path)")
      return 2
    }
    runs += 1
    do throws(FuzzFinding) {
      try chosenTarget.run(bytes)
    } catch {
      complain("\(path): \(chosenTarget.name): \(error.what)")
      code = 1
    }
  }
  print("\(chosenTarget.name): \(runs) files")
  return code
}

private func storm(_ count: UInt64) -> CInt {
  var (all, findings) = (ConnectionStorm.Outcome(), 0)
  for seed in 1...count {
    do throws(FuzzFinding) {
      all += try ConnectionStorm.run(seed: Seed(seed))
    } catch {
      findings += 1
      complain("storm: seed \(seed): \(error.what)")
    }
  }
  var usage = rusage()
  // Of this process; on Linux its memory is counted in KiB.
  getrusage(0, &usage)
  print(
    "\(count) runs, \(findings) findings; \(all.attempts) attempts to connect: \(all.connected) connected and",
    "\(all.disconnected) ended, \(all.unconnected) failed or were given up; at most \(all.linksMaximum) connections kept at",
    "a time; \(usage.ru_maxrss / 1_024) MB, \(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) s CPU")
  return findings == 0 ? 0 : 1
}

private func contents(of path: String) -> [UInt8]? {
  guard let file = fopen(path, "rb") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = fread(&chunk, 1, chunk.count, file)
    if count == 0 { return ferror(file) == 0 ? bytes : nil }
    bytes += chunk[..<count]
  }
}

private func save(_ bytes: [UInt8], to path: String) -> Bool {
  guard let file = fopen(path, "wb") else {
    complain("fuzz: cannot write \(path)")
    return false
  }
  let isWhole = fwrite(bytes, 1, bytes.count, file) == bytes.count
  return fclose(file) == 0 && isWhole
}
