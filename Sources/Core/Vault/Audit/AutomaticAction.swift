/// What the daemon does without being asked for it just then; no method has such a name.
package struct AutomaticAction: Sendable {
  let name: String

  package init(_ name: StaticString) { self.name = "daemon.\(name)" }
}
