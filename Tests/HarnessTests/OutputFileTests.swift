import Foundation
import RollcallExpectations
import Testing

/// What is under the asked name afterwards: for every verb, by the built tool, as a user runs it.
@Suite("What a verb writes", .withTool) struct OutputFileTests {
  private static func mode(_ file: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
  }

  @Test(
    "A file is replaced through its symbolic link with its mode kept, and nothing else is left",
    arguments: WritingVerb.all)
  func replaced(verb: WritingVerb) throws {
    try WritingVerb.withInputs { folder in
      let real = folder.appendingPathComponent("real")
      try Data("before".utf8).write(to: real)
      try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: real.path)
      // A link to a link, the second one relative to a folder of its own.
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("sub"), withIntermediateDirectories: false)
      for (link, target) in [("link", "sub/inner"), ("sub/inner", "../real")] {
        try FileManager.default.createSymbolicLink(
          atPath: folder.appendingPathComponent(link).path, withDestinationPath: target)
      }
      let before = try FolderState(folder)
      let run = try ToolRun(verb.arguments(writing: "link"), in: folder)
      #expect(verb.isDone(run.exitCode), "\(run.errors)")
      var after = try FolderState(folder)
      #expect(after.files["real"].map { $0.count > 20 } == true && after.files["real"] != Array("before".utf8))
      after.files["real"] = before.files["real"]
      expectEqual(after, before)
      try expectEqual(Self.mode(real), 0o604)
      try expectEqual(
        FileManager.default.destinationOfSymbolicLink(
          atPath: folder.appendingPathComponent("link").path), "sub/inner")
      try expectEqual(FolderState(folder.appendingPathComponent("sub")).files, ["inner": []])
    }
  }

  @Test(
    "A new file has the mode that the umask leaves, through a link that leads nowhere as well",
    arguments: WritingVerb.all)
  func new(verb: WritingVerb) throws {
    try WritingVerb.withInputs { folder in
      try FileManager.default.createSymbolicLink(
        atPath: folder.appendingPathComponent("link").path, withDestinationPath: "made")
      let run = try ToolRun(verb.arguments(writing: "link"), in: folder, shell: "umask 027; exec \"$0\" \"$@\"")
      #expect(verb.isDone(run.exitCode), "\(run.errors)")
      try expectEqual(Self.mode(folder.appendingPathComponent("made")), 0o640)
      try expectEqual(FolderState(folder).files.keys.sorted(), ["in.pcapng", "in.yaml", "link", "made"])
    }
  }

  @Test(
    "A pipe, an open descriptor and standard output get the bytes of the file, and stay what they are",
    arguments: WritingVerb.some)
  func inPlace(verb: WritingVerb) throws {
    try WritingVerb.withInputs { folder in
      let plain = try ToolRun(verb.arguments(writing: "file"), in: folder)
      let wanted = try Data(contentsOf: folder.appendingPathComponent("file"))
      #expect(verb.isDone(plain.exitCode) && !wanted.isEmpty)
      let ways = [
        ("pipe", "mkfifo pipe; cat pipe > got & \"$0\" \"$@\" > out; code=$?; wait; [ -p pipe ] && exit $code"),
        ("/dev/fd/7", "exec \"$0\" \"$@\" 7> got > out"),
        ("/proc/self/fd/7", "echo kept > got; exec \"$0\" \"$@\" 7>> got > out"),
      ]
      for (path, shell) in ways {
        let run = try ToolRun(verb.arguments(writing: path), in: folder, shell: shell)
        #expect(verb.isDone(run.exitCode), "\(path): \(run.errors)")
        let got = try Data(contentsOf: folder.appendingPathComponent("got"))
        let kept = path.hasPrefix("/proc") ? Data("kept\n".utf8) : Data()
        // A reproduction has the name of its file in it.
        let isNamed = verb.words.first == "reproduce"
        #expect(isNamed ? got.starts(with: (kept + wanted).prefix(60)) : got == kept + wanted, "\(path)")
        try expectEqual(FolderState(folder).files.keys.contains { $0.hasSuffix(".part") }, false)
      }
    }
  }

  @Test(
    "A file that may not be written, a folder, and a folder that is not there are refused", arguments: WritingVerb.some)
  func refused(verb: WritingVerb) throws {
    try WritingVerb.withInputs { folder in
      let before = try FolderState(folder)
      for (path, words) in [
        (".", "Is a directory"), ("no/file", "No such file or directory"), ("in.yaml/file", "Not a directory"),
        ("", "No such file or directory"),
      ] {
        let run = try ToolRun(verb.arguments(writing: path), in: folder)
        expectEqual(run.exitCode, 2)
        let sentence = "\(path): cannot be written: \(words)"
        expectEqual(run.errors.split(separator: "\n").last.map(String.init), sentence, "\(run.errors)")
        try expectEqual(FolderState(folder), before)
      }
    }
  }

  @Test("A verb that ends with an error leaves the file of before, and none where none was")
  func failed() throws {
    try WritingVerb.withInputs { folder in
      try Data("before".utf8).write(to: folder.appendingPathComponent("old"))
      try Data("no capture".utf8).write(to: folder.appendingPathComponent("bad.pcapng"))
      let before = try FolderState(folder)
      for output in ["old", "new"] {
        for words in [
          ["diff", "in.pcapng", "bad.pcapng", "--output"], ["reproduce", "bad.pcapng", "-o"],
          ["shrink", "in.pcapng", "--report", "changed", "-o"], ["run", "in.yaml", "--at", "nobody", "--pcapng"],
          ["shrink", "in.yaml", "-o"], ["clauses", "UDA-NONE", "--output"],
        ] {
          let run = try ToolRun(words + [output], in: folder)
          expectEqual(run.exitCode, 2, "\(words)")
          try expectEqual(FolderState(folder), before, "\(words)")
        }
      }
    }
  }
}

/// Outputs that would destroy what is read, or one another.
@Suite("Outputs that clash", .withTool) struct OutputClashTests {
  @Test(
    "An output that is an input is refused before anything is opened, however it is spelled", arguments: WritingVerb.all
  )
  func input(verb: WritingVerb) throws {
    guard let input = verb.input else { return }
    try WritingVerb.withInputs { folder in
      let manager = FileManager.default
      try manager.createSymbolicLink(
        atPath: folder.appendingPathComponent("soft").path, withDestinationPath: input)
      try manager.linkItem(
        at: folder.appendingPathComponent(input), to: folder.appendingPathComponent("hard"))
      let before = try FolderState(folder)
      let spellings = ["./" + input, "soft", "hard"]
      for output in spellings {
        let run = try ToolRun(verb.arguments(writing: output), in: folder)
        expectEqual(run.exitCode, 2)
        let option = verb.words.first == "shrink" || verb.option == "-o" ? "--output" : verb.option
        expectEqual(
          run.errors, "\(option) \(output) is the input \(input), which would be lost: write to another file\n")
        expectEqual(run.out, [])
        try expectEqual(FolderState(folder), before)
      }
    }
  }

  @Test("Two outputs of one name are refused, there or not there yet; any number go to a device")
  func outputs() throws {
    try WritingVerb.withInputs { folder in
      let manager = FileManager.default
      try Data("before".utf8).write(to: folder.appendingPathComponent("old"))
      for (link, target) in [("soft", "old"), ("loose", "new"), ("here", ".")] {
        try manager.createSymbolicLink(atPath: folder.appendingPathComponent(link).path, withDestinationPath: target)
      }
      let before = try FolderState(folder)
      let pairs = [
        ("old", "old"), ("old", "soft"), ("new", "./new"), ("new", "here/new"), ("loose", "new"), ("here/loose", "new"),
      ]
      let verbs = [
        (["run", "in.yaml"], "--output", "--trace"), (["run", "in.yaml"], "--pcapng", "--trace"),
        (["judge", "in.pcapng"], "--output", "--record"), (["replay", "in.pcapng"], "--output", "--record"),
        (["examine", "device", "-i", "lo", "--dry-run"], "--output", "--trace"),
        (["examine", "device", "-i", "lo", "--dry-run"], "--trace", "--pcapng"),
        (["examine", "control-point", "-i", "lo", "--dry-run"], "--output", "--pcapng"),
      ]
      for (words, left, right) in verbs {
        for (one, other) in pairs {
          let run = try ToolRun(words + [left, one, right, other], in: folder)
          expectEqual(run.exitCode, 2, "\(words) \(one) \(other)")
          expectEqual(
            run.errors, "\(right) \(other) is the same as \(left) \(one): each output needs one of its own\n")
          try expectEqual(FolderState(folder), before)
        }
      }
      // A device takes any number of them, a pipe one.
      let devices = try ToolRun(
        ["run", "in.yaml", "--output", "/dev/null", "--trace", "/dev/null", "--pcapng", "/dev/null"], in: folder)
      #expect(devices.exitCode == 0 && devices.errors == "" && devices.out == [])
      let pipe = try ToolRun(
        ["run", "in.yaml", "--trace", "/dev/stdout"], in: folder,
        shell: "{ \"$0\" \"$@\"; echo $?; } | cat")
      #expect(
        pipe.errors == "--trace /dev/stdout is the same as standard output: each output needs one of its own\n"
          && pipe.text == "2\n")
      try expectEqual(FolderState(folder), before)
    }
  }

  @Test("Members of folders are inputs, and so are reviewed files, and standard output that is an input")
  func members() throws {
    try WritingVerb.withInputs { folder in
      let manager = FileManager.default
      let below = folder.appendingPathComponent("below/one")
      try manager.createDirectory(at: below, withIntermediateDirectories: true)
      try manager.copyItem(
        at: folder.appendingPathComponent("in.pcapng"), to: below.appendingPathComponent("capture.pcapng"))
      try manager.copyItem(at: folder.appendingPathComponent("in.yaml"), to: below.appendingPathComponent("a.yaml"))
      try Data().write(to: below.appendingPathComponent("expected.jsonl"))
      let before = try FolderState(below)
      for (words, output, name) in [
        (["replay", "below", "--output"], "below/one/capture.pcapng", "capture.pcapng"),
        (["replay", "below", "--output"], "below/one/expected.jsonl", "expected.jsonl"),
        (["diff", "below", "--output"], "below/one/capture.pcapng", "capture.pcapng"),
        (["run", "below", "--output"], "below/one/a.yaml", "a.yaml"),
        (
          ["replay", "in.pcapng", "--expect", "below/one/expected.jsonl", "--record"], "below/one/expected.jsonl",
          "expected.jsonl"
        ),
        (
          ["judge", "in.pcapng", "--expect", "below/one/expected.jsonl", "--record"], "below/one/expected.jsonl",
          "expected.jsonl"
        ),
      ] {
        let run = try ToolRun(words + [output], in: folder)
        expectEqual(run.exitCode, 2)
        expectEqual(
          run.errors,
          "\(words.last ?? "") \(output) is the input below/one/\(name), which would be lost: write to another file\n")
        try expectEqual(FolderState(below), before)
      }
      let appended = try ToolRun(["judge", "in.pcapng"], in: folder, shell: "exec \"$0\" \"$@\" >> in.pcapng")
      expectEqual(appended.exitCode, 2)
      expectEqual(
        appended.errors, "standard output is the input in.pcapng, which would be lost: write to another file\n")
    }
  }
}
