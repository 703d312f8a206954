#if os(Linux)
  import Foundation
  import RollcallExpectations
  import Testing

  @testable import RollcallDoors

  @Suite("The images of a process") struct LoadedImagesTests {
    private let maps = """
      1000-2000 r--p 00000000 fe:00 17                         /usr/bin/lamp of Ada
      2000-4000 r-xp 00001000 fe:00 17                         /usr/bin/lamp of Ada
      4000-5000 rw-p 00003000 fe:00 17                         /usr/bin/lamp of Ada
      5000-6000 rw-p 00000000 00:00 0                          [heap]
      6000-7000 r--s 00000000 fe:00 18                         /tmp/store.sqlite
      7000-8000 rwxp 00000000 00:00 0
      8000-8000 r-xp 00000000 fe:00 19                         /lib/empty.so
      9000-z000 r-xp 00000000 fe:00 19                         /lib/wrong.so
      a000-b000 r-xp 00000000 fe:00 20                         /lib/\(String(repeating: "x", count: 60))

      """

    @Test("an image is a file with mapped code, from its first mapping to the end of its code")
    func read() {
      expectEqual(
        LoadedImages(maps: maps).images.map {
          "\($0.path) \(String($0.base, radix: 16)) \(String($0.codeEnd, radix: 16))"
        },
        ["/usr/bin/lamp of Ada 1000 4000", "/lib/\(String(repeating: "x", count: 60)) a000 b000"])
      expectEqual(LoadedImages(maps: "").images, [])
      // The first mapping of a later image is no code.
      let two = """
        1000-2000 r-xp 00000000 fe:00 17   /a
        3000-4000 r--p 00000000 fe:00 18   /b
        4000-5000 r-xp 00001000 fe:00 18   /b
        """
      expectEqual(
        LoadedImages(maps: two).images,
        [
          LoadedImages.Image(path: "/a", base: 0x1000, codeEnd: 0x2000),
          LoadedImages.Image(path: "/b", base: 0x3000, codeEnd: 0x5000),
        ])
    }

    @Test("images are written with eight bytes a number, and paths in pieces")
    func bytes() {
      let platform = [UInt8(2), 5] + Array("Linux".utf8)
      let lamp: [UInt8] =
        [0x3F, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x30, 0, 0, 20] + Array("/usr/bin/lamp of Ada".utf8) + [0]
      let long: [UInt8] =
        [0x3F, 0, 0, 0, 0, 0, 0, 0xA0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 63]
        + Array("/lib/\(String(repeating: "x", count: 58))".utf8) + [2] + Array("xx".utf8) + [0]
      expectEqual(Array(LoadedImages(maps: maps).bytes), platform + [2] + lamp + long)
      // A count has seven bits a byte.
      let counts: [(count: Int, bytes: [UInt8])] = [
        (127, [0x7F]), (128, [0x81, 0x00]), (300, [0x82, 0x2C]), (16_384, [0x81, 0x80, 0x00]),
      ]
      for one in counts {
        var images = LoadedImages(maps: "")
        images.images = Array(repeating: LoadedImages.Image(path: "", base: 0, codeEnd: 1), count: one.count)
        let expected = platform + one.bytes + [0x3F]
        expectEqual(Array(images.bytes.prefix(expected.count)), expected, "\(one.count)")
      }
    }

    @Test("this process has its own program once among its images, which are in order")
    func own() throws {
      let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let images = LoadedImages.current.images
      expectEqual(images.filter { $0.path == program }.count, 1)
      expectEqual(images.map(\.base), images.map(\.base).sorted())
    }
  }
#endif
