// SPDX-License-Identifier: MIT
// Engines for node on the scenes of contacts.h, driven by contacts_node.c: a scene comes in by
// stdin, then a byte for each step; what it took and the state go out by file 3. Bodies never
// sleep; damping is off; all else is as the engine has it.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const GRAVITY = 9.81, MU = 0.5, THICK = 10;
const folder = path.resolve(process.env.PERP_PEERS ?? 'build/peers');

const load = (name) =>
  import(pathToFileURL(createRequire(path.join(folder, 'x.js')).resolve(name)).href);

function read(bytes) {
  const buffer = Buffer.alloc(bytes);
  for (let at = 0; at < bytes;) {
    const n = fs.readSync(0, buffer, at, bytes - at);
    if (n === 0) process.exit(0);
    at += n;
  }
  return buffer;
}

function write(doubles) {
  const bytes = new Uint8Array(doubles.buffer);
  for (let at = 0; at < bytes.length;) at += fs.writeSync(3, bytes, at);
}

const doubles = (count) => {
  const bytes = read(8 * count);
  return new Float64Array(bytes.buffer, bytes.byteOffset, count).slice();
};

function readScene() {
  const [n, boxes, half, inertia, width, h, sweeps] = doubles(7);
  return { n, boxes: boxes === 1, half, inertia, width, h, sweeps, q0: doubles(7 * n) };
}

// Slabs that make floor and walls: centre and half extents.
function slabs({ width }) {
  const size = width > 0 ? width : 1000, mid = width > 0 ? width / 2 : 0, wide = size + THICK;
  const floor = [[mid, mid, -THICK, wide, wide, THICK]];
  if (!(width > 0)) return floor;
  return floor.concat([[-THICK, mid, mid, THICK, wide, wide], [width + THICK, mid, mid, THICK, wide, wide],
                       [mid, -THICK, mid, wide, THICK, wide], [mid, width + THICK, mid, wide, THICK, wide]]);
}

async function rapier(scene) {
  const { default: R } = await load('@dimforge/rapier3d-compat');
  await R.init();
  const world = new R.World({ x: 0, y: 0, z: -GRAVITY });
  world.timestep = scene.h;
  world.numSolverIterations = scene.sweeps;
  for (const [x, y, z, a, b, c] of slabs(scene))
    world.createCollider(R.ColliderDesc.cuboid(a, b, c).setTranslation(x, y, z).setFriction(MU));
  const { half, inertia: I } = scene, zero = { x: 0, y: 0, z: 0 };
  const bodies = Array.from({ length: scene.n }, (_, i) => {
    const [x, y, z] = scene.q0.subarray(7 * i);
    const body = world.createRigidBody(R.RigidBodyDesc.dynamic().setTranslation(x, y, z).setCanSleep(false));
    const shape = scene.boxes ? R.ColliderDesc.cuboid(half, half, half) : R.ColliderDesc.ball(half);
    world.createCollider(shape.setFriction(MU).setMassProperties(1, zero, { x: I, y: I, z: I },
                                                                 { ...zero, w: 1 }), body);
    return body;
  });
  return {
    step: () => world.step(),
    state: (i) => [bodies[i].translation(), bodies[i].rotation(), bodies[i].linvel(), bodies[i].angvel()],
  };
}

async function jolt(scene) {
  const { default: init } = await load('jolt-physics');
  const J = await init();
  const STILL = 0, MOVES = 1;
  const settings = new J.JoltSettings();
  settings.mMaxBodies = scene.n + 16;
  settings.mMaxBodyPairs = settings.mMaxContactConstraints = 16 * scene.n + 1024;
  const pairs = new J.ObjectLayerPairFilterTable(2);
  pairs.EnableCollision(STILL, MOVES);
  pairs.EnableCollision(MOVES, MOVES);
  const layers = new J.BroadPhaseLayerInterfaceTable(2, 2);
  for (const layer of [STILL, MOVES]) layers.MapObjectToBroadPhaseLayer(layer, new J.BroadPhaseLayer(layer));
  settings.mObjectLayerPairFilter = pairs;
  settings.mBroadPhaseLayerInterface = layers;
  settings.mObjectVsBroadPhaseLayerFilter = new J.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 2);
  const jolt = new J.JoltInterface(settings), system = jolt.GetPhysicsSystem(), all = system.GetBodyInterface();
  system.SetGravity(new J.Vec3(0, 0, -GRAVITY));
  const physics = system.GetPhysicsSettings();
  physics.mNumVelocitySteps = scene.sweeps;
  physics.mAllowSleeping = false;
  system.SetPhysicsSettings(physics);
  const add = (shape, x, y, z, motion, layer) => {
    const s = new J.BodyCreationSettings(shape, new J.RVec3(x, y, z), new J.Quat(0, 0, 0, 1), motion, layer);
    s.mFriction = MU;
    s.mRestitution = s.mLinearDamping = s.mAngularDamping = 0;
    if (layer === MOVES) {
      s.mOverrideMassProperties = J.EOverrideMassProperties_CalculateInertia;
      s.mMassPropertiesOverride.mMass = 1;
    }
    const body = all.CreateBody(s);
    all.AddBody(body.GetID(), J.EActivation_Activate);
    J.destroy(s);
    return body;
  };
  for (const [x, y, z, a, b, c] of slabs(scene))
    add(new J.BoxShape(new J.Vec3(a, b, c)), x, y, z, J.EMotionType_Static, STILL);
  const shape = scene.boxes ? new J.BoxShape(new J.Vec3(scene.half, scene.half, scene.half))
                            : new J.SphereShape(scene.half);
  shape.AddRef();
  const bodies = Array.from({ length: scene.n }, (_, i) =>
    add(shape, scene.q0[7 * i], scene.q0[7 * i + 1], scene.q0[7 * i + 2], J.EMotionType_Dynamic, MOVES));
  const plain = (v) => ({ x: v.GetX(), y: v.GetY(), z: v.GetZ() });
  return {
    step: () => jolt.Step(scene.h, 1),
    state: (i) => {
      const x = plain(bodies[i].GetPosition()), Q = bodies[i].GetRotation();
      const rotation = { ...plain(Q), w: Q.GetW() };
      return [x, rotation, plain(bodies[i].GetLinearVelocity()), plain(bodies[i].GetAngularVelocity())];
    },
  };
}

async function mujoco(scene) {
  const { default: init } = await load('@mujoco/mujoco');
  const M = await init();
  const friction = `friction="${MU} 0 0" condim="3"`;
  const geom = scene.boxes ? `type="box" size="${scene.half} ${scene.half} ${scene.half}"`
                           : `type="sphere" size="${scene.half}"`;
  const I = scene.inertia, bodies = [];
  for (let i = 0; i < scene.n; i++)
    bodies.push(`<body pos="${scene.q0.subarray(7 * i, 7 * i + 3).join(' ')}"><freejoint/>` +
      `<inertial pos="0 0 0" mass="1" diaginertia="${I} ${I} ${I}"/><geom ${geom} ${friction}/></body>`);
  const still = slabs(scene).map(([x, y, z, a, b, c]) =>
    `<geom type="box" pos="${x} ${y} ${z}" size="${a} ${b} ${c}" ${friction}/>`);
  const model = M.MjModel.from_xml_string(`<mujoco><option timestep="${scene.h}" gravity="0 0 ${-GRAVITY}" ` +
    `iterations="${scene.sweeps}" cone="elliptic"/><size memory="1G"/><worldbody>${still.join('')}` +
    `${bodies.join('')}</worldbody></mujoco>`);
  const data = new M.MjData(model);
  const vector = (a, i) => ({ x: a[i], y: a[i + 1], z: a[i + 2] });
  return {
    step: () => M.mj_step(model, data),
    state: (i) => {
      const q = data.qpos, v = data.qvel;
      return [vector(q, 7 * i), { w: q[7 * i + 3], ...vector(q, 7 * i + 4) }, vector(v, 6 * i), vector(v, 6 * i + 3)];
    },
  };
}

const engines = { rapier, jolt, mujoco };
const make = engines[process.argv[2]];
if (!make) {
  console.error(`contacts.mjs: "${process.argv[2]}" is none of ${Object.keys(engines).join(', ')}`);
  process.exit(1);
}
const scene = readScene();
let engine;
try {
  engine = await make(scene);
} catch (error) {
  console.error(`contacts.mjs: ${process.argv[2]} from ${folder}: ${error.message ?? error}`);
  process.exit(1);
}
write(Float64Array.of(1));
const told = new Float64Array(1 + 13 * scene.n);
for (;;) {
  read(1);
  const cpu = process.cpuUsage(), begin = performance.now();
  engine.step();
  const wall = 1e-3 * (performance.now() - begin), used = process.cpuUsage(cpu);
  told[0] = Math.min(wall, 1e-6 * (used.user + used.system));
  for (let i = 0; i < scene.n; i++) {
    const [x, Q, v, w] = engine.state(i);
    told.set([x.x, x.y, x.z, Q.w, Q.x, Q.y, Q.z], 1 + 7 * i);
    told.set([v.x, v.y, v.z, w.x, w.y, w.z], 1 + 7 * scene.n + 6 * i);
  }
  write(told);
}
