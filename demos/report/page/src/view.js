// One run in space: bodies, contacts, separating facets; walls before the bodies are left out.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { geometries, planes } from './shapes.js';

const RED = new THREE.Color(0.93, 0.2, 0.15),
    STATIC = new THREE.Color(0.86, 0.87, 0.88);
const ASLEEP = new THREE.Color(0.42, 0.45, 0.5),
    HIDDEN = 0.07;

export function bodyColour(i, out) {
    const hue = ((0.13 + 0.618033988749895 * i) % 1) * 0.75 + 0.1; // red is kept for overlap
    return out.setHSL(hue, 0.42, 0.66);
}

const side = type => ({
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
    side: type,
});

export class View {
    constructor(canvas, run, room) {
        this.run = run;
        this.room = room;
        this.renderer = new THREE.WebGLRenderer({
            canvas,
            antialias: true,
            preserveDrawingBuffer: true,
        });
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
        this.scene = new THREE.Scene();
        this.scene.background = new THREE.Color(1, 1, 1);
        this.camera = run.planar
            ? new THREE.OrthographicCamera()
            : new THREE.PerspectiveCamera(32, 1, room.size / 200, room.size * 60);
        this.camera.up.set(...room.up);
        this.controls = new OrbitControls(this.camera, canvas);
        this.addLights();
        this.addBodies();
        this.addContacts();
        this.resetCamera();
    }

    addLights() {
        this.scene.add(new THREE.HemisphereLight(0xffffff, 0x9aa3ad, 1.9));
        this.light = new THREE.DirectionalLight(0xffffff, 1.7);
        this.scene.add(this.light, this.light.target);
    }

    addBodies() {
        const run = this.run;
        this.objects = [];
        this.walls = []; // static parts that may stand in the way
        run.bodies.forEach((body, i) => {
            const fixed = body.kind === 'static',
                groups = fixed ? body.parts.map(p => [p]) : [body.parts];
            const group = new THREE.Group();
            for (const parts of groups) {
                const { faces, lines } = geometries(parts, this.room);
                const two = parts.some(p => p.type === 'mesh' || p.type === 'plane');
                const paint = new THREE.MeshLambertMaterial(
                    side(two ? THREE.DoubleSide : THREE.FrontSide),
                );
                if (fixed) Object.assign(paint, { transparent: true, opacity: 0.6 });
                const ink = new THREE.LineBasicMaterial({
                    color: fixed ? 0x9aa2ab : 0x2a3038,
                    transparent: true,
                    opacity: fixed ? 0.9 : 0.55,
                });
                const mesh = new THREE.Mesh(faces, paint),
                    edges = new THREE.LineSegments(lines, ink);
                group.add(mesh, edges);
                paint.color.copy(STATIC);
                if (fixed && parts[0].type === 'convex')
                    this.walls.push({ planes: planes(parts[0]), mesh, edges, body: i });
                if (parts[0]?.type === 'plane')
                    this.walls.push({ plane: parts[0], mesh, edges, body: i });
                if (fixed && parts[0].type === 'mesh')
                    this.walls.push({
                        triangles: faces.attributes.position,
                        all: faces,
                        mesh,
                        edges,
                        body: i,
                    });
            }
            const colour = bodyColour(i, new THREE.Color());
            this.objects.push({
                group,
                fixed,
                colour,
                materials: fixed ? [] : [group.children[0].material],
            });
            this.scene.add(group);
        });
    }

    addContacts() {
        const points = new THREE.PointsMaterial({
            color: 0x1746a2,
            size: 5,
            sizeAttenuation: false,
            depthTest: false,
            transparent: true,
        });
        const lines = new THREE.LineBasicMaterial({
            color: 0x1746a2,
            depthTest: false,
            transparent: true,
        });
        const facet = new THREE.MeshBasicMaterial({
            color: 0xf08c00,
            transparent: true,
            opacity: 0.32,
            depthTest: false,
            side: THREE.DoubleSide,
        });
        this.points = new THREE.Points(new THREE.BufferGeometry(), points);
        this.normals = new THREE.LineSegments(new THREE.BufferGeometry(), lines);
        this.facets = new THREE.Mesh(new THREE.BufferGeometry(), facet);
        for (const o of [this.facets, this.normals, this.points]) {
            o.frustumCulled = false;
            o.renderOrder = 3;
            this.scene.add(o);
        }
        this.points.renderOrder = 4;
    }

    resetCamera() {
        const r = this.room,
            centre = new THREE.Vector3(...r.centre);
        this.controls.target.copy(centre);
        const distance = (r.size / 2 / Math.tan((16 * Math.PI) / 180)) * 1.12;
        this.camera.position.copy(centre).addScaledVector(new THREE.Vector3(...r.back), distance);
        this.camera.zoom = 1;
        ((this.camera.near = r.size / 200), (this.camera.far = r.size * 60));
        this.controls.update();
        this.resize();
    }

    takeCamera(other) {
        this.camera.position.copy(other.camera.position);
        this.camera.zoom = other.camera.zoom;
        this.controls.target.copy(other.controls.target);
        this.camera.lookAt(this.controls.target);
        this.camera.updateProjectionMatrix();
    }

    resize() {
        const canvas = this.renderer.domElement,
            width = canvas.parentElement.clientWidth,
            height = Math.round(Math.min(0.72 * width, 0.62 * window.innerHeight + 60));
        this.renderer.setSize(width, height, false);
        canvas.style.height = height + 'px';
        const aspect = width / height,
            half = 0.56 * this.room.size * Math.max(1, 1 / aspect);
        if (this.camera.isOrthographicCamera) {
            ((this.camera.left = -half * aspect), (this.camera.right = half * aspect));
            ((this.camera.top = half), (this.camera.bottom = -half));
        } else {
            this.camera.aspect = aspect;
        }
        this.camera.updateProjectionMatrix();
    }

    // Puts everything where frame k of the run has it.
    show(k, options) {
        this.frame = k;
        const run = this.run,
            m = run.moving.length;
        run.fixed.forEach(({ body, pose }) => this.place(body, pose, 0));
        for (let j = 0; j < m; j++) {
            this.place(run.moving[j], run.pose, 7 * (k * m + j));
            this.paint(run.moving[j], k * m + j, options);
        }
        this.showContacts(k, options);
    }

    place(body, pose, at) {
        const { group } = this.objects[body];
        group.visible = pose !== null && !Number.isNaN(pose[at]);
        if (!group.visible) return;
        group.position.set(pose[at], pose[at + 1], pose[at + 2]);
        group.quaternion.set(pose[at + 4], pose[at + 5], pose[at + 6], pose[at + 3]);
    }

    paint(body, at, options) {
        const run = this.run,
            o = this.objects[body],
            island = run.island?.[at] ?? 0xffff;
        if (o.fixed) return;
        for (const material of o.materials) {
            const colour = material.color;
            if (options.colour === 'island')
                island === 0xffff ? colour.copy(STATIC) : bodyColour(3 * island + 1, colour);
            else if (options.colour === 'none') colour.setRGB(0.8, 0.82, 0.85);
            else colour.copy(o.colour);
            if (run.asleep?.[at]) colour.lerp(ASLEEP, 0.65);
            const depth = run.depth[at],
                scale = options.depthScale;
            if (scale > 0 && depth > 1e-6 * scale)
                colour.lerp(RED, 0.3 + 0.7 * Math.sqrt(Math.min(1, depth / scale)));
            material.transparent = options.transparent;
            material.opacity = options.transparent ? 0.45 : 1;
            material.depthWrite = !options.transparent;
        }
    }

    showContacts(k, options) {
        const run = this.run,
            c = run.contacts,
            position = [],
            line = [],
            fan = [],
            seen = new Set();
        if (c && options.contacts !== 'off') {
            const f = run.contactFrame[k];
            for (let i = c.start[f]; i < c.start[f + 1]; i++)
                this.addContact(c, i, options, position, line, fan, seen);
        }
        (this.points.geometry.dispose(),
            this.normals.geometry.dispose(),
            this.facets.geometry.dispose());
        this.points.material.size = position.length > 450 ? 3 : 5;
        this.points.geometry = buffer(position);
        this.normals.geometry = buffer(line);
        this.facets.geometry = buffer(fan);
        this.facets.visible = options.facets;
    }

    addContact(c, i, options, position, line, fan, seen) {
        const x = [0, 1, 2].map(
            d => c.low[d] + (c.pos[3 * i + d] / 65535) * (c.high[d] - c.low[d]),
        );
        const length =
            1.2 *
            this.run.bodySize *
            Math.sqrt(Math.abs(c.impulse[i]) / (options.impulseScale || 1));
        position.push(...x);
        line.push(...x, ...x.map((v, d) => v + (length * c.normal[3 * i + d]) / 127));
        if (options.facets && c.facet[i] > 0) this.addFacet(c, i, x, fan, seen);
    }

    // The facet that separates the pair, once; of large ones (floors, walls) the place about the
    // contact.
    addFacet(c, i, x, fan, seen) {
        const [body, part, face] = this.run.facets[c.facet[i] - 1],
            p = this.run.bodies[body].parts[part],
            group = this.objects[body].group;
        group.updateMatrixWorld();
        let corners = (p.faces ?? p.triangles)[face].map(n =>
            new THREE.Vector3(...p.vertices[n]).applyMatrix4(group.matrixWorld),
        );
        const middle = new THREE.Vector3(...x),
            size = this.run.bodySize;
        if (corners.some(corner => corner.distanceTo(middle) > 3 * size))
            corners = square(middle, new THREE.Vector3().fromArray(c.normal, 3 * i), 0.3 * size);
        else if (seen.has(c.facet[i])) return;
        seen.add(c.facet[i]);
        for (let n = 1; n + 1 < corners.length; n++)
            fan.push(...corners[0], ...corners[n], ...corners[n + 1]);
    }

    // Leaves out what static parts hide of the moving bodies.
    cull() {
        const eyes = [],
            to = new THREE.Vector3(),
            inverse = new THREE.Matrix4();
        for (const body of this.run.moving) {
            const { group } = this.objects[body];
            if (group.visible && eyes.length < 120) eyes.push(group.position);
        }
        const back = this.camera.position.clone().sub(this.controls.target);
        for (const wall of this.walls) {
            const { group } = this.objects[wall.body];
            group.updateMatrixWorld();
            inverse.copy(group.matrixWorld).invert();
            const rays = eyes.map(e => {
                to.copy(
                    this.camera.isOrthographicCamera ? e.clone().add(back) : this.camera.position,
                );
                const a = e.clone().applyMatrix4(inverse),
                    b = to.clone().applyMatrix4(inverse);
                return [a, b.sub(a)];
            });
            if (wall.plane) this.cullPlane(wall, back);
            else if (wall.planes) this.cullPart(wall, rays);
            else this.cullMesh(wall, rays);
        }
    }

    // A plane is seen from outside of its half-space only.
    cullPlane({ plane, mesh, edges }, back) {
        const n = new THREE.Vector3(...plane.normal),
            flat = this.camera.isOrthographicCamera;
        mesh.visible = flat ? n.dot(back) > 0 : n.dot(this.camera.position) > plane.offset;
        edges.visible = mesh.visible;
    }

    cullPart(wall, rays) {
        const hides = rays.some(([from, d]) => {
            let low = 0,
                high = 1;
            for (const [n, offset] of wall.planes) {
                const height = offset - (n[0] * from.x + n[1] * from.y + n[2] * from.z);
                const speed = n[0] * d.x + n[1] * d.y + n[2] * d.z;
                if (speed > 0) high = Math.min(high, height / speed);
                else if (speed < 0) low = Math.max(low, height / speed);
                else if (height < 0) return false;
            }
            return low < high;
        });
        wall.mesh.visible = !hides;
        wall.edges.material.opacity = hides ? 0.35 : 0.9;
    }

    cullMesh(wall, rays) {
        const p = wall.triangles.array,
            kept = [],
            few = rays.slice(0, 40);
        if (p.length > 9 * 30000) return;
        const a = new THREE.Vector3(),
            b = new THREE.Vector3(),
            c = new THREE.Vector3(),
            hit = new THREE.Vector3(),
            ray = new THREE.Ray();
        for (let i = 0; i < p.length; i += 9) {
            (a.fromArray(p, i), b.fromArray(p, i + 3), c.fromArray(p, i + 6));
            const hides = few.some(([from, d]) => {
                (ray.origin.copy(from), ray.direction.copy(d));
                return ray.intersectTriangle(a, b, c, false, hit) !== null;
            });
            if (!hides) kept.push(i / 3, i / 3 + 1, i / 3 + 2);
        }
        wall.all.setIndex(kept);
    }

    draw() {
        this.light.position
            .copy(this.camera.position)
            .addScaledVector(this.camera.up, 0.6 * this.room.size);
        this.light.target.position.copy(this.controls.target);
        this.renderer.render(this.scene, this.camera);
    }
}

function square(middle, normal, half) {
    const n = normal.clone().normalize(),
        u = new THREE.Vector3(1, 0, 0);
    if (Math.abs(n.x) > 0.8) u.set(0, 1, 0);
    u.cross(n).normalize();
    const v = n.clone().cross(u);
    return [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
    ].map(([s, t]) =>
        middle
            .clone()
            .addScaledVector(u, s * half)
            .addScaledVector(v, t * half),
    );
}

function buffer(values) {
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(values), 3));
    return g;
}
