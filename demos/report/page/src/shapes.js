// Geometry of bodies from the parts of a trace: triangles, and the edges that are drawn.
import * as THREE from 'three';

class Soup {
    constructor() {
        this.position = [];
        this.normal = [];
        this.line = [];
        this.faces = [];
    }
    triangle(a, b, c, na, nb, nc) {
        this.position.push(...a, ...b, ...c);
        this.normal.push(...na, ...nb, ...nc);
    }
    edge(a, b) {
        this.line.push(...a, ...b);
    }
}

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a, b) => [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = a => {
    const l = Math.hypot(...a) || 1;
    return [a[0] / l, a[1] / l, a[2] / l];
};
const along = (a, s, d) => [a[0] + s * d[0], a[1] + s * d[1], a[2] + s * d[2]];

function faceNormal(points) {
    let n = [0, 0, 0];
    for (let i = 1; i + 1 < points.length; i++)
        n = along(n, 1, cross(sub(points[i], points[0]), sub(points[i + 1], points[0])));
    return unit(n);
}

function addSolid(soup, part, edges) {
    for (const face of part.faces ?? part.triangles) {
        const p = face.map(i => part.vertices[i]),
            n = faceNormal(p);
        for (let i = 1; i + 1 < p.length; i++) soup.triangle(p[0], p[i], p[i + 1], n, n, n);
        for (let i = 0; edges && i < p.length; i++)
            if (face[i] < face[(i + 1) % p.length] || part.triangles)
                soup.edge(p[i], p[(i + 1) % p.length]);
    }
}

// Rings of (radius, height, normal's slope) about the line a b.
function addRevolution(soup, a, axis, rings, sectors) {
    const side = Math.abs(axis[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0];
    const u = unit(cross(axis, side)),
        v = cross(axis, u);
    const round = angle => along(along([0, 0, 0], Math.cos(angle), u), Math.sin(angle), v);
    for (let r = 0; r + 1 < rings.length; r++)
        for (let s = 0; s < sectors; s++) {
            const d = [
                round((2 * Math.PI * s) / sectors),
                round((2 * Math.PI * (s + 1)) / sectors),
            ];
            const at = (k, i) => along(along(a, rings[k][1], axis), rings[k][0], d[i]);
            const no = (k, i) =>
                unit(along(along([0, 0, 0], rings[k][2], d[i]), rings[k][3], axis));
            if (rings[r][0] > 0)
                soup.triangle(at(r, 0), at(r, 1), at(r + 1, 1), no(r, 0), no(r, 1), no(r + 1, 1));
            if (rings[r + 1][0] > 0)
                soup.triangle(
                    at(r, 0),
                    at(r + 1, 1),
                    at(r + 1, 0),
                    no(r, 0),
                    no(r + 1, 1),
                    no(r + 1, 0),
                );
        }
    for (let k = 0; k < 4; k++) {
        // meridians, so that one sees it turn
        const d = round((Math.PI * k) / 2);
        for (let r = 0; r + 1 < rings.length; r++)
            soup.edge(
                along(along(a, rings[r][1], axis), rings[r][0], d),
                along(along(a, rings[r + 1][1], axis), rings[r + 1][0], d),
            );
    }
}

function addRound(soup, part, least) {
    const radius = Math.max(part.radius, least),
        a = part.center ?? part.a,
        b = part.b ?? a;
    const d = sub(b, a),
        length = Math.hypot(...d),
        axis = length > 0 ? unit(d) : [0, 0, 1],
        rings = [];
    const caps = 8;
    if (part.type === 'cylinder') {
        rings.push(
            [0, 0, 0, -1],
            [radius, 0, 0, -1],
            [radius, 0, 1, 0],
            [radius, length, 1, 0],
            [radius, length, 0, 1],
            [0, length, 0, 1],
        );
    } else {
        for (let i = 0; i <= caps; i++) {
            const t = (-Math.PI / 2) * (1 - i / caps);
            rings.push([
                i ? radius * Math.cos(t) : 0,
                radius * Math.sin(t),
                Math.cos(t),
                Math.sin(t),
            ]);
        }
        for (let i = 0; i <= caps; i++) {
            const t = ((Math.PI / 2) * i) / caps;
            rings.push([
                i < caps ? radius * Math.cos(t) : 0,
                length + radius * Math.sin(t),
                Math.cos(t),
                Math.sin(t),
            ]);
        }
    }
    addRevolution(soup, a, axis, rings, 24);
}

function addPlane(soup, part, centre, size) {
    const n = unit(part.normal),
        at = along(centre, part.offset / Math.hypot(...part.normal) - dot(n, centre), n);
    const u = unit(cross(n, Math.abs(n[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0])),
        v = cross(n, u);
    const corner = (s, t) => along(along(at, s * size, u), t * size, v);
    const p = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
    soup.triangle(p[0], p[1], p[2], n, n, n);
    soup.triangle(p[0], p[2], p[3], n, n, n);
    for (let i = -4; i <= 4; i++) {
        soup.edge(corner(i / 4, -1), corner(i / 4, 1));
        soup.edge(corner(-1, i / 4), corner(1, i / 4));
    }
}

export function addPart(soup, part, room) {
    if (part.type === 'plane') addPlane(soup, part, room.centre, 0.9 * room.size);
    else if (part.type === 'convex') addSolid(soup, part, true);
    else if (part.type === 'mesh') addSolid(soup, part, part.triangles.length <= 4000);
    else if (part.type !== 'other') addRound(soup, part, 0.004 * room.size);
}

function attribute(values) {
    return new THREE.BufferAttribute(new Float32Array(values), 3);
}

// Triangles and lines of the parts, as two geometries.
export function geometries(parts, room) {
    const soup = new Soup();
    for (const part of parts) addPart(soup, part, room);
    const faces = new THREE.BufferGeometry(),
        lines = new THREE.BufferGeometry();
    faces.setAttribute('position', attribute(soup.position));
    faces.setAttribute('normal', attribute(soup.normal));
    lines.setAttribute('position', attribute(soup.line));
    return { faces, lines };
}

// Planes (outward normal, offset) of a convex part, body frame.
export function planes(part) {
    return part.faces.map(face => {
        const p = face.map(i => part.vertices[i]),
            n = faceNormal(p);
        return [n, dot(n, p[0])];
    });
}

// The farthest that a body reaches from its origin.
export function reach(parts) {
    let most = 0;
    for (const p of parts) {
        for (const v of p.vertices ?? []) most = Math.max(most, Math.hypot(...v));
        for (const c of [p.center, p.a, p.b])
            if (c) most = Math.max(most, Math.hypot(...c) + p.radius);
    }
    return most;
}
