#if arch(x86_64)
  import _Builtin_intrinsics.intel.sse2
#endif

/// Facts about 64 bytes at once, one bit a byte, the first byte in the lowest bit.
///
/// Loads are not checked: the caller asks only for offsets inside the datagram, and 64 bytes of padding follow it.
/// The comparisons are vector against vector throughout: against a scalar the compiler falls back to a byte loop.
enum PortableLanes {
  @inline(__always)
  private static func bits(_ mask: SIMDMask<SIMD16<Int8>>) -> UInt64 {
    let halves = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    let ones: UInt64 = 0x0101_0101_0101_0101
    let gather: UInt64 = 0x0102_0408_1020_4080
    let low = (UInt64(littleEndian: halves.x) & ones) &* gather
    let high = (UInt64(littleEndian: halves.y) & ones) &* gather
    return low &>> 56 | (high &>> 56) &<< 8
  }

  @inline(__always)
  private static func lane(_ span: borrowing RawSpan, _ offset: Int) -> SIMD16<UInt8> {
    span.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD16<UInt8>.self)
  }

  /// Control bytes below 0x20.
  @inline(__always)
  static func controls(_ span: borrowing RawSpan, _ offset: Int) -> UInt64 {
    let space = SIMD16<UInt8>(repeating: 32)
    var controls: UInt64 = 0
    var shift = 0
    while shift < 64 {
      controls |= bits(lane(span, offset &+ shift) .< space) &<< UInt64(truncatingIfNeeded: shift)
      shift &+= 16
    }
    return controls
  }

  /// Bytes from 0x7F on: DEL and everything that is not ASCII.
  @inline(__always)
  static func high(_ span: borrowing RawSpan, _ offset: Int) -> UInt64 {
    let tilde = SIMD16<UInt8>(repeating: 0x7E)
    var high: UInt64 = 0
    var shift = 0
    while shift < 64 {
      high |= bits(lane(span, offset &+ shift) .> tilde) &<< UInt64(truncatingIfNeeded: shift)
      shift &+= 16
    }
    return high
  }

  /// Colons among 32 bytes.
  @inline(__always)
  static func colons(_ span: borrowing RawSpan, _ offset: Int) -> UInt32 {
    let colon = SIMD16<UInt8>(repeating: 58)
    return UInt32(
      truncatingIfNeeded: bits(lane(span, offset) .== colon) | bits(lane(span, offset &+ 16) .== colon) &<< 16)
  }
}

#if arch(x86_64)
  typealias Lanes = SSE2Lanes

  /// The same facts by the move-mask instruction of the processor, twice as fast.
  enum SSE2Lanes {
    @inline(__always)
    private static func bits(_ lane: __m128i) -> UInt64 { UInt64(UInt32(bitPattern: _mm_movemask_epi8(lane))) }

    @inline(__always)
    private static func lane(_ span: borrowing RawSpan, _ offset: Int) -> __m128i {
      span.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: __m128i.self)
    }

    @inline(__always)
    private static func gather(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) -> UInt64 {
      a | b &<< 16 | c &<< 32 | d &<< 48
    }

    @inline(__always)
    static func controls(_ span: borrowing RawSpan, _ offset: Int) -> UInt64 {
      let unit = _mm_set1_epi8(31)
      @inline(__always) func isControl(_ lane: __m128i) -> UInt64 {
        bits(_mm_cmpeq_epi8(_mm_min_epu8(lane, unit), lane))
      }
      return gather(
        isControl(lane(span, offset)), isControl(lane(span, offset &+ 16)), isControl(lane(span, offset &+ 32)),
        isControl(lane(span, offset &+ 48)))
    }

    @inline(__always)
    static func high(_ span: borrowing RawSpan, _ offset: Int) -> UInt64 {
      let delete = _mm_set1_epi8(0x7F)
      @inline(__always) func isHigh(_ lane: __m128i) -> UInt64 {
        bits(_mm_cmpeq_epi8(_mm_max_epu8(lane, delete), lane))
      }
      return gather(
        isHigh(lane(span, offset)), isHigh(lane(span, offset &+ 16)), isHigh(lane(span, offset &+ 32)),
        isHigh(lane(span, offset &+ 48)))
    }

    @inline(__always)
    static func colons(_ span: borrowing RawSpan, _ offset: Int) -> UInt32 {
      let colon = _mm_set1_epi8(58)
      return UInt32(
        truncatingIfNeeded: bits(_mm_cmpeq_epi8(lane(span, offset), colon))
          | bits(_mm_cmpeq_epi8(lane(span, offset &+ 16), colon)) &<< 16)
    }
  }
#else
  typealias Lanes = PortableLanes
#endif
