import ArgumentParser
import RollcallPicturing
import RollcallReporting

/// Where a picture of what a verb did goes.
struct PictureOptions: ParsableArguments {
  @Option(
    help: "Write a picture to this file: a page that any browser opens, without a network (docs/pictures.md).",
    completion: .file())
  var html: String?

  @Option(help: "Write the diagram of the picture to this file, as a trace for Perfetto.", completion: .file())
  var perfetto: String?

  var areWanted: Bool { html != nil || perfetto != nil }

  /// The outputs of a verb, with those of the picture.
  func outputs(beside others: [OutputClash.Named]) -> [OutputClash.Named] {
    var all = others
    all.append((option: "--html", path: html))
    all.append((option: "--perfetto", path: perfetto))
    return all
  }

  /// Refuses an input that can be read only once, since a picture reads it again.
  func check(_ inputs: [String]) throws {
    guard areWanted, let input = inputs.first(where: { !InputFiles.isRepeatable($0) }) else { return }
    let name = input == InputFiles.standardInput ? "standard input" : input
    let option = html == nil ? "--perfetto" : "--html"
    throw Complaint("\(option) reads its input more than once, and \(name) can be read only once: name a file")
  }

  /// Writes the picture, where one is wanted; it is not made before its files are known to take it.
  func write(_ picture: () throws -> Picture) throws {
    guard let files = try open() else { return }
    try files.write(try picture())
  }

  /// Opens the files, for a verb that takes a while; `nil`: no picture is wanted.
  func open() throws -> PictureFiles? {
    if !areWanted { return nil }
    return PictureFiles(
      page: try html.map { try Output(path: $0) }, trace: try perfetto.map { try Output(path: $0) })
  }
}

/// Files that take one picture.
struct PictureFiles {
  let page: Output?
  let trace: Output?

  func write(_ picture: Picture) throws {
    if let page {
      page.bytes(PictureHTML.bytes(picture))
      try page.finish()
    }
    if let trace {
      trace.bytes(PicturePerfetto.bytes(picture))
      try trace.finish()
    }
  }
}
