internal import JSON
package import JSONRPC

// What was looked for and what there is too much of is said, in words of the program's: never in the caller's.

extension RPCError {
  /// Nothing of this kind is the caller's by the ID that was given.
  package static func noSuch(_ kind: StaticString) -> RPCError { notFound.saying("there is no such \(kind)") }

  /// There are as many of this kind as there may be.
  package static func quota(_ limit: Int, _ kinds: StaticString) -> RPCError {
    quota.with(["limit": .int(limit)]).saying("there are \(limit) \(kinds) already, and no more may be")
  }

  /// Whether it says that there is none of what was looked for, whatever its sentence calls that.
  package var isNotFound: Bool { code == Self.notFound.code }
}
