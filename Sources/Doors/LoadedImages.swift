#if os(Linux)
  import Foundation

  /// The images of this process: the program and the libraries that it has loaded.
  ///
  /// `ImageMap.capture` of the Swift runtime reads the memory of every mapped file to see whether it is an image. Another
  /// thread may unmap one meanwhile, and then the program crashes. Here nothing is read but the list of mappings, as text.
  struct LoadedImages: Hashable {
    struct Image: Hashable {
      var path: String
      /// Of its first byte in memory.
      var base: UInt64
      /// Behind the last of its code.
      var codeEnd: UInt64
    }

    /// In the order of their addresses.
    var images: [Image] = []

    static var current: LoadedImages {
      let data = FileManager.default.contents(atPath: "/proc/self/maps") ?? Data()
      return LoadedImages(maps: String(decoding: data, as: UTF8.self))
    }

    /// - Parameter maps: a line a mapping, as in /proc/self/maps: `55d0-55e0 r-xp 00000000 fe:00 1234   /usr/bin/lamp`,
    ///   with hexadecimal addresses. The mappings of an image follow on each other; a file of which none may be executed
    ///   is no image. Lines that are not so are passed over.
    init(maps: String) {
      for line in maps.split(separator: "\n") {
        let fields = line.split(separator: " ", maxSplits: 5)
        let ends = fields.first?.split(separator: "-").compactMap { UInt64($0, radix: 16) } ?? []
        guard fields.count == 6, ends.count == 2, ends[0] < ends[1] else { continue }
        let path = String(fields[5].drop { $0 == " " })
        guard path.hasPrefix("/") else { continue }
        if images.last?.path != path { images.append(Image(path: path, base: ends[0], codeEnd: 0)) }
        if fields[1].contains("x") { images[images.count - 1].codeEnd = ends[1] }
      }
      images.removeAll { $0.codeEnd == 0 }
    }

    /// In the form in which the Swift runtime writes its own map of images: no initializer takes them.
    ///
    /// Version 0 with words of 64 bits, the name of the platform, the count of images; then for each the bytes of base
    /// and offset of the end (0x3F: eight each), an empty build id, and the path in pieces of at most 63 bytes, ended by
    /// 0.
    var bytes: Data {
      var bytes = Data([2])
      /// Seven bits a byte, the highest first; the top bit says that more follow.
      func count(_ number: Int) -> [UInt8] {
        var digits = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
          digits.insert(0x80 | UInt8(rest & 0x7F), at: 0)
          rest >>= 7
        }
        return digits
      }
      let platform = Array("Linux".utf8)
      bytes += count(platform.count) + platform + count(images.count)
      for image in images {
        bytes.append(0x3F)
        bytes += CallWatch.bigEndian(image.base) + CallWatch.bigEndian(image.codeEnd - image.base)
        bytes.append(0)
        var rest = Array(image.path.utf8)[...]
        while !rest.isEmpty {
          let piece = rest.prefix(63)
          bytes.append(UInt8(piece.count))
          bytes += piece
          rest = rest.dropFirst(63)
        }
        bytes.append(0)
      }
      return bytes
    }
  }
#endif
