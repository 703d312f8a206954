import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("What an examination of a device rules, at the bounds")
struct ExamRulingTests {
  private typealias Course = DeviceCourse
  private let nanosecond = Interval.nanoseconds(1)

  @Test("an answer may come 300 ms behind its time: a second by unicast, MX by multicast, 5 s where MX is longer")
  func waits() {
    let unicast = ExamQuestion(Course.root, mx: nil, isMulticast: false)
    func ruling(_ clause: ClauseID, _ probe: DeviceProbe, _ question: ExamQuestion, _ waits: Interval...) -> [String] {
      var course = Course()
      course.ask(probe, question, at: .seconds(1), answeredAfter: waits)
      course.sign(at: .seconds(60))
      return course.rulings(clause)
    }
    let second = Interval.milliseconds(1_300)
    expectEqual(ruling(.unicastAnswerFast, .unicast, unicast, second), ["held"])
    expectEqual(ruling(.unicastAnswerFast, .unicast, unicast, second + nanosecond), ["violated one after 1.3 s"])
    for seconds in [1, 2, 5] as [Int64] {
      let (mx, most) = ("\(seconds)", Interval.milliseconds(1_000 * seconds + 300))
      let question = ExamQuestion(Course.root, mx: mx)
      expectEqual(ruling(.answerDelayMaximum, .searchRoot, question, .zero, most), ["held"], "\(mx)")
      expectEqual(
        ruling(.answerDelayMaximum, .searchRoot, question, .zero, most + nanosecond),
        ["violated one 0.3 s after the end of MX \(mx)"])
    }
    // Of a longer MX another probe tells.
    let huge = ExamQuestion(Course.root, mx: "30")
    expectEqual(ruling(.answerDelayMaximum, .searchRoot, huge, .seconds(40)), ["held"])
    expectEqual(ruling(.answerMXCap, .mxHuge, huge, .milliseconds(5_300)), ["held"])
    expectEqual(
      ruling(.answerMXCap, .mxHuge, huge, Interval.milliseconds(5_300) + nanosecond), ["violated one after 5.3 s"])
    // Half of a set within that time is enough.
    func whole(_ count: Int, of all: Int) -> [String] {
      var course = Course((0..<all).map { "x:\($0)" })
      course.ask(
        .mxHuge, ExamQuestion("ssdp:all", mx: "30"), at: .seconds(1),
        answeredAfter: Array(repeating: .seconds(1), count: count))
      course.sign(at: .seconds(60))
      return course.rulings(.answerMXCap)
    }
    expectEqual(whole(2, of: 4), ["held"])
    expectEqual(whole(2, of: 5), ["violated 2 of 5 within 5.3 s"])
    expectEqual(whole(3, of: 5), ["held"])
    expectEqual(whole(1, of: 4), ["violated 1 of 4 within 5.3 s"])
  }

  @Test("three copies get three answers at most, and one search gets one with the same ST and USN")
  func answersOnce() {
    func copies(_ counts: [Int]) -> [String] {
      var course = Course()
      for (number, count) in counts.enumerated() {
        course.ask(
          .copies, at: .milliseconds(1_000 + 100 * Int64(number)), port: 40_000,
          answeredAfter: Array(repeating: .milliseconds(500), count: count))
      }
      course.sign(at: .seconds(60))
      return course.rulings(.answerOnce)
    }
    expectEqual(copies([0, 0, 3]), ["held"])
    expectEqual(copies([1, 1, 2]), ["violated 4 answers"])
    expectEqual(copies([0, 0, 0]), ["inconclusive nothing was answered"])
    var course = Course()
    course.ask(.searchRoot, at: .seconds(1), answeredAfter: [.milliseconds(500), .milliseconds(600)])
    course.sign(at: .seconds(60))
    expectEqual(
      course.rulings(.answerOnce, .searchRoot),
      ["violated 2 with USN uuid:\(Course.uuid)::\(Course.root) to one search"])
  }

  @Test("a renewal comes within max-age and a second, and where none comes within two it is missed")
  func renewal() {
    func ruling(_ gap: Interval) -> [String] {
      var course = Course()
      for time in [Interval.zero, .seconds(5), Interval.seconds(5) + gap] { course.announce(at: time) }
      return course.rulings(.renew)
    }
    expectEqual(ruling(.seconds(101)), ["held"])
    expectEqual(ruling(Interval.seconds(101) + nanosecond), ["violated one after 101 s"])
    // Before ten seconds are over it is the first set still.
    for (time, isRenewal) in [(9_999, false), (10_000, true)] as [(Int64, Bool)] {
      var course = Course()
      for moment in [0, time] { course.announce(at: .milliseconds(moment)) }
      course.exam.ended = .zero + .seconds(20)
      expectEqual(course.rulings(.renew) == ["held"], isRenewal, "\(time)")
    }
    for (extra, isMissed) in [(Interval.zero, false), (nanosecond, true)] {
      var course = Course()
      course.announce(at: .seconds(5))
      course.exam.ended = Instant.zero + Interval.seconds(107) + extra
      let rulings = course.rulings(.renew)
      expectEqual(rulings.count, 1)
      expectEqual(rulings == ["violated none within 102 s"], isMissed)
      expectEqual(rulings[0].hasPrefix("inconclusive"), !isMissed)
    }
  }

  @Test("silence to a good search is a breach where loss alone would make it less often than once in a thousand")
  func loss() {
    /// Ten searches of which so many are lost, and so many in another form that nobody answers.
    func ruling(lost: Int, asked: Int) -> [String] {
      var course = Course()
      for number in 0..<9 { course.sign(at: .seconds(2 * Int64(number)), isAnswered: number >= lost) }
      for number in 0..<asked {
        course.ask(
          .nameCase, ExamQuestion(Course.root, wording: .smallNames), at: .seconds(20 + 2 * Int64(number)))
      }
      course.sign(at: .seconds(60))
      return course.rulings(.nameCase)
    }
    func open(_ lost: Int, _ asked: Int) -> [String] {
      let count = "of 10 searches that can be answered \(lost) were not"
      return ["inconclusive silence, asked \(asked) times; but \(count): too much is lost here"]
    }
    expectEqual(ruling(lost: 0, asked: 1), ["violated silence, asked once"])
    expectEqual(ruling(lost: 0, asked: 3), ["violated silence, asked 3 times"])
    expectEqual(ruling(lost: 1, asked: 4), open(1, 4))
    expectEqual(ruling(lost: 1, asked: 5), ["violated silence, asked 5 times"])
    expectEqual(ruling(lost: 2, asked: 6), open(2, 6))
    expectEqual(ruling(lost: 2, asked: 7), ["violated silence, asked 7 times"])
    // Nothing is said about loss by searches in bad form, those for the device itself, and those that overlap.
    var course = Course()
    let others: [(probe: DeviceProbe, question: ExamQuestion)] = [
      (.manMissing, ExamQuestion(Course.root, man: nil)), (.searchAll, ExamQuestion("ssdp:all", mx: "2")),
      (.spread, ExamQuestion(Course.root)), (.overlap, ExamQuestion(Course.root)),
      (.copies, ExamQuestion(Course.root)), (.mxHuge, ExamQuestion(Course.root)),
    ]
    for (number, other) in others.enumerated() {
      let time = Interval.seconds(4 * Int64(number))
      course.ask(other.probe, other.question, at: time, answeredAfter: [.milliseconds(1)])
      course.ask(other.probe, other.question, at: time + .seconds(2))
    }
    course.ask(.nameCase, ExamQuestion(Course.root, wording: .smallNames), at: .seconds(40))
    course.sign(at: .seconds(60))
    expectEqual(course.rulings(.nameCase), ["violated silence, asked once"])
  }

  @Test("silence counts where a later search, asked when its time was over, was answered, and no byebye lay between")
  func settled() {
    func ruling(_ later: Interval, byebyeAt: Interval? = nil) -> [String] {
      var course = Course()
      course.sign(at: .seconds(1))
      course.ask(.nameCase, ExamQuestion(Course.root, wording: .smallNames), at: .seconds(10))
      course.sign(at: later)
      if let byebyeAt {
        course.announce(at: byebyeAt)
        course.exam.announcements[0].kind = .byebye
      }
      return course.rulings(.nameCase).map { String($0.prefix { $0 != " " }) }
    }
    // Its MX is 1.
    expectEqual(ruling(.seconds(11)), ["violated"])
    expectEqual(ruling(Interval.seconds(11) - nanosecond), [])
    expectEqual(ruling(.seconds(12), byebyeAt: .seconds(11)), [])
    expectEqual(ruling(.seconds(12), byebyeAt: Interval.seconds(11) + nanosecond), ["violated"])
    expectEqual(ruling(.seconds(12), byebyeAt: .milliseconds(500)), ["violated"])
  }
}
