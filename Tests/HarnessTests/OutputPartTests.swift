import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallReporting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Outputs, call by call: which clash, what is written of each kind of line, and what is said of a write that fails.
@Suite("Parts of outputs", .serialized) struct OutputPartTests {
  /// What is said of outputs that clash; `nil`: none do.
  private func clash(
    _ outputs: [OutputClash.Named], inputs: [String] = [], isPrinting: Bool? = false, on descriptor: CInt? = nil
  ) -> String? {
    do throws(OutputFailure) {
      if let descriptor {
        try OutputClash.check(inputs: inputs, outputs: outputs, isPrinting: isPrinting, on: descriptor)
      } else {
        try OutputClash.check(inputs: inputs, outputs: outputs, isPrinting: isPrinting)
      }
    } catch { return error.description }
    return nil
  }

  @Test("Outputs clash with inputs and one another however they are spelled, there or not there yet")
  func clashes() throws {
    try Places.withTemporaryFolder { folder in
      let path = folder.path
      for name in ["in", "old"] { try Data("x".utf8).write(to: folder.appendingPathComponent(name)) }
      for (link, target) in [("soft", "in"), ("loose", "new"), ("here", ".")] {
        try FileManager.default.createSymbolicLink(
          atPath: folder.appendingPathComponent(link).path, withDestinationPath: target)
      }
      try #require(mkfifo(path + "/pipe", 0o600) == 0)
      let pairs = [("old", "old"), ("in", "soft"), ("new", "here/new"), ("loose", "here/new"), ("pipe", "here/pipe")]
      for (one, other) in pairs {
        expectEqual(
          clash([("--output", "\(path)/\(one)"), ("--html", nil), ("--trace", "\(path)/\(other)")]),
          "--trace \(path)/\(other) is the same as --output \(path)/\(one): each output needs one of its own")
      }
      expectEqual(clash([("--output", "\(path)/new"), ("--trace", "\(path)/newer"), ("--html", "\(path)/old")]), nil)
      expectEqual(clash([("--output", "/dev/null"), ("--trace", "/dev/null")], inputs: ["/dev/null"]), nil)
      for input in ["\(path)/in", "\(path)/here/soft"] {
        expectEqual(
          clash([("--output", "\(path)/old"), ("--trace", "\(path)/soft")], inputs: ["\(path)/none", input]),
          "--trace \(path)/soft is the input \(input), which would be lost: write to another file")
      }
      expectEqual(clash([("--output", "\(path)/old")], inputs: ["\(path)/in", "\(path)/none"]), nil)
      expectEqual(
        clash([("--output", path)]), "\(path): cannot be written: Is a directory")
    }
  }

  @Test("Standard output counts as an output where it is printed on and no device")
  func standardOutput() throws {
    try Places.withTemporaryFolder { folder in
      let file = folder.path + "/file"
      // What runs the tests may have given them a terminal or a file.
      let isShared = OutputPlace.identity(descriptor: STDOUT_FILENO) != nil
      let words = "--trace /dev/fd/1 is the same as standard output: each output needs one of its own"
      let said = isShared ? words : nil
      let trace: OutputClash.Named = ("--trace", "/dev/fd/1")
      expectEqual(clash([trace], isPrinting: nil), said)
      expectEqual(clash([("--output", nil), trace], isPrinting: nil), said)
      expectEqual(clash([("--output", file), trace], isPrinting: nil), nil)
      expectEqual(clash([("--output", file), trace], isPrinting: true), said)
      expectEqual(clash([trace], isPrinting: false), nil)
    }
  }

  @Test("Standard output that is a file is no other output and no input, unless --output takes its place")
  func printedFile() throws {
    try Places.withTemporaryFolder { folder in
      let (file, printed) = (folder.path + "/file", folder.path + "/printed")
      try Data().write(to: URL(fileURLWithPath: printed))
      let descriptor = open(printed, O_WRONLY)
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      let words = "--trace \(printed) is the same as standard output: each output needs one of its own"
      let trace: OutputClash.Named = ("--trace", printed)
      expectEqual(clash([trace], isPrinting: nil, on: descriptor), words)
      expectEqual(clash([("--output", nil), trace], isPrinting: nil, on: descriptor), words)
      expectEqual(clash([("--output", file), trace], isPrinting: nil, on: descriptor), nil)
      expectEqual(clash([("--output", file), trace], isPrinting: true, on: descriptor), words)
      expectEqual(clash([trace], isPrinting: false, on: descriptor), nil)
      expectEqual(
        clash([("--trace", file)], inputs: [printed], isPrinting: nil, on: descriptor),
        "standard output is the input \(printed), which would be lost: write to another file")
    }
  }

  @Test("Why something cannot be written is one sentence, and of a closed pipe it is known")
  func failures() {
    let cases: [(name: String, number: CInt, words: String, isClosedPipe: Bool)] = [
      ("a/b", ENOSPC, "a/b: cannot be written: No space left on device", false),
      ("a/b", EBADF, "a/b: cannot be written: Bad file descriptor", false),
      ("a/b", EPIPE, "a/b: cannot be written: Broken pipe", true),
      ("standard output", ENOSPC, "standard output: cannot be written: No space left on device", false),
      ("standard output", EBADF, "standard output: cannot be written: it is closed", false),
      ("standard output", EPIPE, "standard output: cannot be written: Broken pipe", true),
    ]
    for (name, number, words, isClosedPipe) in cases {
      let failure = OutputFailure(name, number)
      expectEqual(failure.description, words)
      expectEqual(failure.isClosedPipe, isClosedPipe, "\(words)")
    }
    expectEqual(OutputFailure("in words").isClosedPipe, false)
  }

  // MARK: - Lines

  private let report = Report.lost(device: "uuid:a", cause: .byebye)
  private let reportLine =
    #"{"schema":"rollcall/1","kind":"report","time":"1.500000000","frame":7,"layer":"ssdp","event":"lost","#
    + #""device":"uuid:a","cause":"byebye"}"#

  @Test("Lines, documents, screens and bytes stand in the file in their order, and what comes later is lost")
  func lines() throws {
    try Places.withTemporaryFolder { folder in
      let file = folder.appendingPathComponent("file")
      let output = try Output(path: file.path)
      output.line("one\u{1B}")
      output.line(painted: "two \(PaintedText("red\n", .red)) \(3)")
      output.document("three\n\nfour\n")
      output.bytes([0x35, 0x0A])
      output.line { line in
        line.begin("six")
        line.add("a", 1)
      }
      output.line(report, time: Instant(nanoseconds: 1_500_000_000), frame: 7)
      output.screen(["seven\u{1B}", "eight"])
      output.flush()
      #expect(!FileManager.default.fileExists(atPath: file.path))
      try output.finish()
      output.line("lost")
      output.bytes([0x21])
      output.flush()
      try expectEqual(
        String(contentsOf: file, encoding: .utf8),
        "one\\x1b\ntwo red\\x0a 3\nthree\n\nfour\n5\n" + #"{"schema":"rollcall/1","kind":"six","a":1}"# + "\n"
          + reportLine + "\n\u{1B}[H\u{1B}[Jseven\\x1b\neight\n")
    }
  }

  @Test("Colours are put around words that were made safe to look at")
  func painted() {
    let text: PaintedText = "a\u{1B} \(PaintedText("b\u{9B}", .red)) \(3)"
    expectEqual(text.text(isColoured: true), "a\\x1b \u{1B}[31mb\\u{9b}\u{1B}[0m 3")
    expectEqual(text.text(isColoured: false), "a\\x1b b\\u{9b} 3")
    expectEqual(text.description, "a\\x1b b\\u{9b} 3")
  }

  @Test("Lines are handed over when they are more than is kept, whichever way they were written")
  func handedOver() {
    final class Sheet {
      var pieces: [String] = []
      func take(_ bytes: UnsafeRawBufferPointer) { pieces.append(String(decoding: bytes, as: UTF8.self)) }
    }
    let object = #"{"schema":"rollcall/1","kind":"six"}"# + "\n"
    let sheet = Sheet()
    let writer = LineWriter(bytesKept: object.utf8.count, sink: sheet.take)
    writer.line { $0.begin("six") }
    expectEqual(sheet.pieces, [])
    writer.line { $0.begin("six") }
    expectEqual(sheet.pieces, [object + object])
    writer.line(report, time: Instant(nanoseconds: 1_500_000_000), frame: 7)
    writer.line("b")
    writer.line(String(repeating: "a", count: object.utf8.count - 2))
    let last = "b\n" + String(repeating: "a", count: object.utf8.count - 2) + "\n"
    var pieces = [object + object, reportLine + "\n", last]
    expectEqual(sheet.pieces, pieces)
    writer.flush()
    writer.line("")
    expectEqual(sheet.pieces, pieces)
    writer.flush()
    pieces.append("\n")
    expectEqual(sheet.pieces, pieces)
  }

  // MARK: - Writes that fail

  /// Moves what writes a file to the furthest place of it, where nothing can be written any more.
  static func exhaust(_ path: String) throws {
    var file = stat()
    let isThere = stat(path, &file) == 0
    let descriptor = (CInt(3)..<4_096).first { number in
      var info = stat()
      return fstat(number, &info) == 0 && info.st_dev == file.st_dev && info.st_ino == file.st_ino
    }
    try #require(isThere)
    let number = try #require(descriptor)
    var furthest: off_t = 0
    for bit in (0..<63).reversed() where lseek(number, furthest | 1 << off_t(bit), SEEK_SET) >= 0 {
      furthest |= 1 << off_t(bit)
    }
    try #require(lseek(number, furthest, SEEK_SET) == furthest)
  }

  @Test("What grows is kept as far as it was whole where more cannot be written, and nothing of it where nothing was")
  func kept() throws {
    for isMarked in [true, false] {
      try Places.withTemporaryFolder { folder in
        let path = folder.path + "/file"
        let output = try Output(path: path, isGrowing: true)
        var told: [String] = []
        output.whenFailed { told.append($0.description) }
        output.line("whole")
        output.flush()
        if isMarked { output.mark() }
        try Self.exhaust(path)
        output.line("and more")
        output.flush()
        try expectEqual(
          FolderState(folder).files.mapValues { String(decoding: $0, as: UTF8.self) },
          isMarked ? ["file": "whole\n"] : [:])
        expectEqual(told.count, 1)
        let said = told.first ?? ""
        #expect(said.hasPrefix("\(path): cannot be written: "), "\(said)")
        expectEqual(said.hasSuffix("; it holds what came before"), isMarked, "\(said)")
        let failure = #expect(throws: OutputFailure.self) { try output.finish() }
        expectEqual(failure?.description, said)
      }
    }
  }

  @Test("An output that is given up leaves no file, writes its bytes to an open descriptor, and takes no more lines")
  func givenUp() throws {
    try Places.withTemporaryFolder { folder in
      let kept = folder.appendingPathComponent("kept")
      try Data().write(to: kept)
      let handle = try FileHandle(forWritingTo: kept)
      let paths = [folder.path + "/growing", "/dev/fd/\(handle.fileDescriptor)"]
      for path in paths {
        let output = try Output(path: path, isGrowing: true)
        var told: [String] = []
        output.whenFailed { told.append($0.description) }
        output.line("one")
        output.discard()
        output.line("two")
        output.flush()
        try output.finish()
        expectEqual(told, [], "\(path)")
      }
      try handle.close()
      try expectEqual(FolderState(folder).files, ["kept": Array("one\n".utf8)])
    }
  }

  // MARK: - What is said beside the output

  @Test("What a person looks at is what has the attributes of a terminal")
  func terminals() throws {
    var attributes = termios()
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    try #require(terminal >= 0)
    defer { close(terminal) }
    expectEqual([terminal, -1].map { Output.isTerminal($0) }, [true, false])
    expectEqual(Output.isTerminal, tcgetattr(STDOUT_FILENO, &attributes) == 0)
    expectEqual(Output.isErrorTerminal, tcgetattr(STDERR_FILENO, &attributes) == 0)
  }

  @Test("Complaints keep their line ends, and every other control character is shown")
  func said() {
    expectEqual(Output.shown(lines: "a\n\nb\u{1B}\n"), "a\n\nb\\x1b\n")
  }

  #if os(Linux)
    @Test("A write that fails is told once where it was asked for; what comes later is lost, and the end says why")
    func told() throws {
      let words = "/dev/full: cannot be written: No space left on device"
      let output = try Output(path: "/dev/full")
      var told: [String] = []
      output.whenFailed { told.append($0.description) }
      output.line("one")
      output.flush()
      output.line("two")
      output.flush()
      output.bytes([1])
      expectEqual(told, [words])
      let failure = #expect(throws: OutputFailure.self) { try output.finish() }
      expectEqual(failure?.description, words)
      expectEqual(told, [words])
    }

    @Test("Of several outputs that cannot be written the first is told, and the others stand where they belong")
    func finishedTogether() throws {
      try Places.withTemporaryFolder { folder in
        let link = folder.path + "/full"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/full")
        var outputs = try ["/dev/full", folder.path + "/good", link].map { path in try Output(path: path) }
        for output in outputs {
          output.whenFailed { _ in }
          output.line("one")
        }
        var said: String?
        do throws(OutputFailure) {
          try Output.finish(all: { outputs.isEmpty ? nil : outputs.removeFirst() })
        } catch { said = error.description }
        expectEqual(said, "/dev/full: cannot be written: No space left on device")
        try expectEqual(FolderState(folder).files, ["full": [], "good": Array("one\n".utf8)])
      }
    }
  #endif
}
