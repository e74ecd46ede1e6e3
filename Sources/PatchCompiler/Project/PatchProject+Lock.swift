extension PatchProject {
    /// Reads `openpatch.lock.json`, which may be absent.
    /// - Throws: ``PatchProjectError`` `lock_invalid`.
    public func checkLock() throws { _ = try ProjectLock(folder: folder) }
}
