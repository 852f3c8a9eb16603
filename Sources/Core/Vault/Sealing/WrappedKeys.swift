/// Data keys that lie in one table, wrapped: how they are found and put back when what wraps them changes.
package struct WrappedKeys: Sendable {
  let label: StaticString
  /// Gives the row's number, the id that its label names, its owner and the wrapped key.
  let select: StaticString
  /// Takes the wrapped key and the row's number.
  let update: StaticString

  package init(_ label: StaticString, select: StaticString, update: StaticString) {
    (self.label, self.select, self.update) = (label, select, update)
  }
}
