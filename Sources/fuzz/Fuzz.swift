import RollcallFuzzTargets

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The target of this process: `ROLLCALL_FUZZ`, or what stands behind `fuzz-` in the name of the program.
let chosenTarget: FuzzTarget = {
  let program = CommandLine.arguments.first ?? ""
  let base = program.split(separator: "/").last.map(String.init) ?? ""
  let name = getenv("ROLLCALL_FUZZ").map { String(cString: $0) } ?? String(base.dropFirst(5))
  if let target = FuzzTarget.named(name) { return target }
  complain("fuzz: no target '\(name)'; set ROLLCALL_FUZZ to one of: \(allTargets.map(\.name).joined(separator: " "))")
  exit(2)
}()

/// `ROLLCALL_FUZZ_SWEEP`: every beginning of an input is run too. For a corpus that is run once, not for a campaign.
let sweepsBeginnings = getenv("ROLLCALL_FUZZ_SWEEP") != nil

/// Where libFuzzer calls in. A finding ends the process by a trap: that is how libFuzzer hears of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  for end in (sweepsBeginnings ? 0 : count)...count {
    do throws(FuzzFinding) {
      try chosenTarget.run(Array(UnsafeBufferPointer(start: start, count: end)))
    } catch {
      fatalError("\(chosenTarget.name): \(error.what)" + (end < count ? " (cut at \(end))" : ""))
    }
  }
  return 0
}

func complain(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}
