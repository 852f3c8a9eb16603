extension CoverageTable.Row {
  private static let interface = InterfaceDocument()

  /// The faults of the row: names that do not exist, and claims without a test.
  var faults: [String] {
    var faults = here.codeSpans.compactMap { span in
      Self.interface.fault(of: span).map { "line \(line): \(span): \($0)" }
    }
    let proofs = proof.codeSpans
    faults += proofs.compactMap { proof in Proofs.fault(of: proof).map { "line \(line): \(proof): \($0)" } }
    if here.hasPrefix("nothing, because ") {
      // A missing feature needs a reason and no proof.
      if proofs.isEmpty, proof != "–" { faults.append("line \(line): an odd proof") }
    } else {
      if here.codeSpans.isEmpty { faults.append("line \(line): nothing is named, and no reason") }
      // Sandbox tests do not run mfad. A row without proofs fails here too.
      if proofs.allSatisfy({ $0.hasPrefix("Programs/SandboxTests/") }) {
        faults.append("line \(line): no test of mfad proves it")
      }
    }
    return faults
  }
}
