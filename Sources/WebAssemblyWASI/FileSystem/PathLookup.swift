extension WASIFileSystem {
    /// Where a path leads.
    struct Place {
        /// The folder in which its last name is looked up.
        var folder: FileNode
        /// The last name; nil when the path ends in `.` or `..`, or names no more than its start.
        var name: FileName?
        /// What is there, if anything.
        var node: FileNode?
        /// Whether the path ends in a slash, so that only a folder will do.
        var wantsFolder: Bool
    }

    /// Whether a symbolic link at the end of a path stands for what it leads to.
    enum Follow { case never, beforeSlash, always }

    private static let maximumPath = 4096
    private static let maximumLinks = 40

    /// Follows a path from a folder, which it may not leave: neither by `..` nor by a link.
    /// - Throws: `ENOTCAPABLE` for a path that would leave, `ENOENT` or `ENOTDIR` when a folder on
    ///   the way is missing or something else, `ELOOP` after too many links.
    func look(_ path: FileName, from start: FileNode, _ follow: Follow) throws -> Place {
        var walk = PathWalk(start)
        try walk.push(path)
        let wantsFolder = path.last == UInt8(ascii: "/") || path.suffix(2) == Array("/.".utf8)[...]
        let followsLast = follow == .always || follow == .beforeSlash && wantsFolder
        var place = Place(folder: start, name: nil, node: start, wantsFolder: wantsFolder)
        while let name = walk.next() {
            let folder = walk.here
            if name.elementsEqual("..".utf8) {
                try walk.leave()
                place = Place(
                    folder: walk.here, name: nil, node: walk.here, wantsFolder: wantsFolder)
                continue
            }
            let node = try folder.child(name)
            place = Place(folder: folder, name: name, node: node, wantsFolder: wantsFolder)
            let isLast = walk.isAtEnd
            if let node, node.kind == .link, !isLast || followsLast {
                try walk.follow(node)
                // Until the target was walked, the place is where the link begins.
                place = Place(folder: folder, name: nil, node: folder, wantsFolder: wantsFolder)
                continue
            }
            if isLast { break }
            guard let node else { throw WASIErrno.noEntry }
            guard node.kind == .directory else { throw WASIErrno.notDirectory }
            walk.enter(node)
        }
        return place
    }

    /// The way through a path: folders entered so far, names still to come.
    private struct PathWalk {
        private var folders: [FileNode]
        private var names: [FileName] = []
        private var links = 0

        init(_ start: FileNode) { folders = [start] }

        var here: FileNode { folders[folders.count - 1] }
        var isAtEnd: Bool { names.isEmpty }

        mutating func push(_ path: FileName) throws {
            guard let first = path.first else { throw WASIErrno.noEntry }
            // An absolute path names the host's tree, which there is none of.
            guard first != UInt8(ascii: "/") else { throw WASIErrno.notCapable }
            guard path.count <= maximumPath else { throw WASIErrno.nameTooLong }
            let parts = path.split(separator: UInt8(ascii: "/"))
                .filter { !$0.elementsEqual(".".utf8) }
            guard parts.allSatisfy({ $0.count <= 255 }),
                names.count + parts.count <= 4 * FileNode.maximumDepth
            else { throw WASIErrno.nameTooLong }
            names += parts.reversed().map(Array.init)
        }

        mutating func next() -> FileName? { names.popLast() }

        mutating func enter(_ folder: FileNode) { folders.append(folder) }

        mutating func leave() throws {
            guard folders.count > 1 else { throw WASIErrno.notCapable }
            folders.removeLast()
        }

        mutating func follow(_ link: FileNode) throws {
            links += 1
            guard links <= maximumLinks else { throw WASIErrno.loop }
            try push(link.bytes)
        }
    }
}
