/// Reads a device description as UDA 1.0, 1.1 and 2.0 have it (UDA 2.0, section 2.3).
///
/// What XML allows and does not: `XMLReader`. The order of elements means nothing. Of the text of an element the blanks
/// at the beginning and the end are left out. Elements of other namespaces are extensions: those of the document and of
/// devices are kept, all others are read over.
///
/// | what stands there | lenient | strict |
/// |---|---|---|
/// | a root element that is not `root`; no `device` in it | refused | refused |
/// | more devices, services or icons than `Limits` has, or longer texts | refused | refused |
/// | another namespace than UDA's, or none | as if it were UDA's, a flaw for the root and for each element without one | refused |
/// | names with other capitals | as if they were right, a flaw | refused |
/// | an element that UDA does not have, in UDA's namespace or none | an extension, a flaw | refused |
/// | an element that UDA has once, once more | left out, a flaw | refused |
/// | an element missing that UDA requires, or empty | the empty text, or no number, a flaw | refused |
/// | text where elements belong, elements where text belongs | left out, a flaw | refused |
/// | more extensions than `Limits` has, or longer ones | left out, a flaw | refused |
/// | a version that there is not, `configId` missing from 1.1 on, URLBase from 1.1 on | read as it stands, a flaw | refused |
/// | a value of another form than UDA has | read as it stands, a number that is none as `nil`, a flaw | refused |
///
/// So strict accepts nothing that lenient refuses, and what strict accepts is the same value in both.
public enum DescriptionReader {
  /// What a description may hold.
  public struct Limits: Hashable, Sendable {
    /// `tooManyDevices`: the root device and all that are embedded.
    public var devices = 64
    /// `tooDeeplyEmbedded`: 1 for the root device alone.
    public var nesting = 8
    /// `tooManyServices`: of all devices together.
    public var services = 256
    /// `tooManyIcons`: of all devices together.
    public var icons = 128
    /// `extensionLimit`: of the document and all devices together.
    public var extensions = 128
    /// `longValue`, of an extension `extensionLimit`: in UTF-8, of one element.
    public var valueBytes = 4_096
    public var xml = XMLReader.Limits()
    public init() {}
  }

  /// A description, and what was let pass in it.
  public struct Reading: Hashable, Sendable {
    public var document: DescriptionDocument
    /// By place; `XMLReader.flawsMaximum` of each kind at most, those of XML and those of UDA. Strict: none.
    public var flaws: [DescriptionFault]
    /// Those that were not kept included.
    public var flawCount: Int

    public init(document: DescriptionDocument, flaws: [DescriptionFault] = [], flawCount: Int = 0) {
      (self.document, self.flaws, self.flawCount) = (document, flaws, flawCount)
    }
  }

  /// Reads the one description that `bytes` are.
  public static func read(
    _ bytes: UnsafeRawBufferPointer, mode: XMLMode, limits: Limits = Limits()
  ) throws(DescriptionFault) -> Reading {
    try XMLReader.withReader(of: bytes, mode: mode, limits: limits.xml) { xml throws(DescriptionFault) in
      var parser = DescriptionParser(mode: mode, limits: limits)
      return try parser.read(&xml)
    }
  }

  /// Reads the one description that `bytes` are.
  public static func read(
    _ bytes: [UInt8], mode: XMLMode, limits: Limits = Limits()
  ) throws(DescriptionFault) -> Reading {
    // `withUnsafeBytes` of an array passes on no typed error.
    let result = bytes.withUnsafeBytes { bytes in
      do throws(DescriptionFault) {
        return Result<Reading, DescriptionFault>.success(try read(bytes, mode: mode, limits: limits))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
