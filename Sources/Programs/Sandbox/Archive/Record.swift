import JOSE
import JSON
import Time

/// A thing as the archive keeps it: a JSON object that is read back member by member.
struct Record {
  let members: JSONObject

  func text(_ name: String) -> String? { members[name]?.string }

  func texts(_ name: String) -> [String] { (members[name]?.array ?? []).compactMap(\.string) }

  func int(_ name: String) -> Int? { members[name]?.int }

  func bool(_ name: String) -> Bool? { members[name]?.bool }

  func id<Kind>(_ name: String, of kind: Kind.Type) -> ID<Kind>? { text(name).map { ID($0) } }

  func choice<Value: RawRepresentable<String>>(_ name: String, of type: Value.Type) -> Value? {
    text(name).flatMap { Value(rawValue: $0) }
  }

  func time(_ name: String) -> Timestamp? { int(name).map { Timestamp(milliseconds: Int64($0)) } }

  func deadline(_ name: String) -> Deadline? { time(name).map(Deadline.init) }

  func deadlines(_ name: String) -> [Deadline] {
    (members[name]?.array ?? []).compactMap(\.int).map { milliseconds in
      Deadline(instant: Timestamp(milliseconds: Int64(milliseconds)))
    }
  }

  func span(_ name: String) -> TimeSpan? {
    guard let record = record(name), let amount = record.int("amount"),
      let unit = record.choice("unit", of: TimeSpan.Unit.self)
    else { return nil }
    return TimeSpan(amount, unit)
  }

  func key(_ name: String) -> JWK? { members[name].flatMap { JWK.p256($0) } }

  func record(_ name: String) -> Record? { members[name]?.object.map { Record(members: $0) } }
}

/// A thing that the archive keeps.
protocol Recorded: Stored {
  /// The name of the kind in the archive.
  static var kind: String { get }
  var record: JSON { get }
  init?(_ record: Record)
}

extension JSON {
  /// An instant to the millisecond.
  static func instant(_ instant: Timestamp) -> JSON { .int(Int(instant.milliseconds)) }

  static func deadline(_ deadline: Deadline) -> JSON { instant(deadline.instant) }

  static func span(_ span: TimeSpan) -> JSON { ["amount": .int(span.amount), "unit": .choice(span.unit)] }

  static func choice(_ value: some RawRepresentable<String>) -> JSON { .string(value.rawValue) }
}
