// What the shop sells, and how its catalogue is searched.

/**
 * @typedef {object} Product
 * @property {string} slug
 * @property {string} name
 * @property {'plants' | 'tools' | 'sensors'} category
 * @property {number} priceCents price of the smallest size, in euro cents
 * @property {'low' | 'medium' | 'bright' | null} light
 * @property {boolean} petSafe
 * @property {string[]} sizes ids, smallest first; each further one adds 60% to the price
 * @property {string} summary
 * @property {string} care
 */

/** @type {Product[]} */
export const PRODUCTS = [
  {
    slug: 'monstera',
    name: 'Monstera',
    category: 'plants',
    priceCents: 3400,
    light: 'medium',
    petSafe: false,
    sizes: ['small', 'medium', 'large'],
    summary: 'Broad split leaves that fill an empty corner within a year.',
    care: 'Water when the top three centimetres are dry. Give the aerial roots a pole to climb.',
  },
  {
    slug: 'snake-plant',
    name: 'Snake plant',
    category: 'plants',
    priceCents: 2600,
    light: 'low',
    petSafe: false,
    sizes: ['small', 'medium', 'large'],
    summary: 'Upright, patient and hard to kill: the one for the meeting room.',
    care: 'Water every three weeks, less in winter. It forgives a dark shelf and a long holiday.',
  },
  {
    slug: 'boston-fern',
    name: 'Boston fern',
    category: 'plants',
    priceCents: 2200,
    light: 'medium',
    petSafe: true,
    sizes: ['small', 'medium'],
    summary: 'Soft arching fronds that like a steamy bathroom.',
    care: 'Keep the soil moist and the air humid. Turn it a little every week.',
  },
  {
    slug: 'asparagus-fern',
    name: 'Asparagus fern',
    category: 'plants',
    priceCents: 1900,
    light: 'medium',
    petSafe: false,
    sizes: ['small', 'medium'],
    summary: 'A green cloud, and no fern at all, whatever its name says.',
    care: 'Water when the surface is dry. Cut yellow stems at the base.',
  },
  {
    slug: 'parlour-palm',
    name: 'Parlour palm',
    category: 'plants',
    priceCents: 2400,
    light: 'low',
    petSafe: true,
    sizes: ['small', 'medium', 'large'],
    summary: 'Feathery and slow, happy two metres away from the window.',
    care: 'Water once a week in summer. Brown tips mean that the air is too dry.',
  },
  {
    slug: 'cast-iron-plant',
    name: 'Cast iron plant',
    category: 'plants',
    priceCents: 3900,
    light: 'low',
    petSafe: true,
    sizes: ['small', 'medium'],
    summary: 'Lives where other plants give up, and has the name to prove it.',
    care: 'Water when half of the pot is dry. Wipe the leaves now and then.',
  },
  {
    slug: 'calathea',
    name: 'Calathea',
    category: 'plants',
    priceCents: 2800,
    light: 'low',
    petSafe: true,
    sizes: ['small', 'medium'],
    summary: 'Painted leaves that fold upwards every evening.',
    care: 'Use rain water if you can. Keep it out of the sun and away from the radiator.',
  },
  {
    slug: 'olive-tree',
    name: 'Olive tree',
    category: 'plants',
    priceCents: 5900,
    light: 'bright',
    petSafe: true,
    sizes: ['medium', 'large'],
    summary: 'A small silver tree for the sunniest window you have.',
    care: 'Water deeply, then let it dry out. It may stand outside from April to October.',
  },
  {
    slug: 'golden-barrel',
    name: 'Golden barrel cactus',
    category: 'plants',
    priceCents: 1700,
    light: 'bright',
    petSafe: true,
    sizes: ['small', 'medium'],
    summary: 'Round, golden and in no hurry.',
    care: 'Water once a month from spring to autumn, and not at all in winter.',
  },
  {
    slug: 'terracotta-pot',
    name: 'Terracotta pot',
    category: 'tools',
    priceCents: 1200,
    light: null,
    petSafe: true,
    sizes: ['small', 'medium', 'large'],
    summary: 'Unglazed and breathing, with a saucer that fits.',
    care: 'Soak it for an hour before the first planting.',
  },
  {
    slug: 'brass-mister',
    name: 'Brass mister',
    category: 'tools',
    priceCents: 1800,
    light: null,
    petSafe: true,
    sizes: ['one-size'],
    summary: 'A fine fog for ferns and calatheas, and a good weight in the hand.',
    care: 'Empty it after use. Brass darkens with time; lemon juice brings it back.',
  },
  {
    slug: 'moisture-sensor',
    name: 'Moisture sensor',
    category: 'sensors',
    priceCents: 4500,
    light: null,
    petSafe: true,
    sizes: ['one-size'],
    summary: 'Reads the soil every hour and tells you before the leaves do.',
    care: 'One button cell lasts two years. Pairs with the Tideleaf app in a minute.',
  },
];

export const LIGHTS = { low: 'Low light', medium: 'Medium light', bright: 'Bright light' };
export const SIZES = { small: 'Small', medium: 'Medium', large: 'Large', 'one-size': 'One size' };

/** @param {string} slug */
export function findProduct(slug) {
  return PRODUCTS.find(product => product.slug === slug);
}

/**
 * @param {Product} product
 * @param {string} size
 */
export function priceOf(product, size) {
  return Math.round(product.priceCents * 1.6 ** product.sizes.indexOf(size));
}

/** @param {number} cents */
export function euros(cents) {
  return `€${(cents / 100).toFixed(2)}`;
}

/** @type {Record<string, (a: Product, b: Product) => number>} */
const ORDERS = {
  'price-asc': (a, b) => a.priceCents - b.priceCents,
  'price-desc': (a, b) => b.priceCents - a.priceCents,
  name: (a, b) => a.name.localeCompare(b.name),
};

/**
 * Unknown filters and values match as if they were not there.
 * @param {URLSearchParams} query `q`, `category`, `light`, `petSafe`, `sort`
 */
export function searchProducts(query) {
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const category = query.get('category') ?? '';
  const light = query.get('light') ?? '';
  const found = PRODUCTS.filter(
    product =>
      words.every(word => `${product.name} ${product.summary}`.toLowerCase().includes(word)) &&
      (!['plants', 'tools', 'sensors'].includes(category) || product.category === category) &&
      (!Object.hasOwn(LIGHTS, light) || product.light === light) &&
      (query.get('petSafe') !== 'true' || product.petSafe),
  );
  const sort = query.get('sort') ?? '';
  return Object.hasOwn(ORDERS, sort) ? found.sort(ORDERS[sort]) : found;
}

/**
 * Lines, their sums and delivery, ready to be shown.
 * @param {Iterable<import('./sessions.mjs').CartLine>} cart
 */
export function priceCart(cart) {
  const lines = [...cart].flatMap(line => {
    const product = findProduct(line.slug);
    if (!product) return [];
    const unitCents = priceOf(product, line.size);
    const size = SIZES[/** @type {keyof typeof SIZES} */ (line.size)];
    return [
      { ...line, id: lineId(line), product, sizeName: size, unitCents, sumCents: unitCents * line.quantity },
    ];
  });
  const sumCents = lines.reduce((sum, line) => sum + line.sumCents, 0);
  const deliveryCents = sumCents === 0 || sumCents >= 4000 ? 0 : 495;
  const count = lines.reduce((sum, line) => sum + line.quantity, 0);
  return { lines, count, sumCents, deliveryCents, totalCents: sumCents + deliveryCents };
}

/** @param {{ slug: string, size: string }} line */
export function lineId({ slug, size }) {
  return `${slug}.${size}`;
}
